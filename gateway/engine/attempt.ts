import { AppError, toAppError } from '#shared/errors.ts';
import type { CallState } from '../providers/changed-request.ts';
import type { ConversationShape } from '../providers/content/conversation-shape.ts';
import type { AskBill, ProviderRequest, TakeEvents } from '../providers/provider.ts';
import { getReason } from '../providers/upstream/upstream-error.ts';
import type { UpstreamFetch } from '../providers/upstream/upstream-response.ts';
import { Stop, type StopSignal } from '../runtime/concurrency/stop-signal.ts';
import type { Target } from './admit.ts';
import type { Question } from './answer.ts';
import { type Fitted, fitRequest } from './fitting/fit-request.ts';
import type { ReasoningOwner } from './reasoning/reasoning-state.ts';
import type { Features } from './routing/eligibility.ts';
import type { Run, Try } from './run.ts';

export interface AttemptContext {
  /** Stops the attempt at once; its reason is an `AppError` that says why. */
  readonly signal: StopSignal;
  /** How long the upstream may take to begin. */
  readonly firstEventMs: number;
  /** How long it may be silent in the middle of a stream. */
  readonly silentMs: number;
  /** A whole answer begins where it ends: only the limit of all of it counts, unless it comes in parts after all. */
  readonly whole: boolean;
  readonly fetch: UpstreamFetch;
  readonly answersInParts: () => void;
  readonly offersCost: (ask: AskBill) => void;
}

/**
 * Asks one upstream once. Resolves only after a `finish` event; whatever else happens is an `AppError`. What `take` throws
 * stops the attempt and aborts the upstream.
 */
export async function attempt(
  target: Target,
  request: ProviderRequest,
  context: AttemptContext,
  take: TakeEvents,
): Promise<void> {
  const abort = new Stop();
  const stop = () => abort.abort(context.signal.reason);
  if (context.signal.aborted) stop();
  context.signal.addEventListener('abort', stop, { once: true });
  const { firstEventMs, silentMs, whole, fetch, offersCost } = context;
  let timer: NodeJS.Timeout | undefined;
  const expectBeginning = () => {
    timer = setTimeout(() => abort.abort(firstEventTimeout(target)), firstEventMs);
  };
  if (!whole) expectBeginning();
  const answersInParts = () => {
    if (!whole) return;
    expectBeginning();
    context.answersInParts();
  };
  let begun = false;
  let finished = false;
  let over = false;
  const hear: TakeEvents = (events) => {
    if (events.length === 0) return undefined;
    if (!begun) clearTimeout(timer);
    begun = true;
    for (const { type } of events) if (type === 'finish') finished = true;
    return take(events);
  };
  try {
    abort.throwIfAborted();
    const { provider, credential } = target;
    const answersNonStreaming = () => clearTimeout(timer);
    const told = { answersInParts, answersNonStreaming, offersCost };
    await provider.chat(request, { credential, signal: abort, fetch, silentMs, ...told }, hear);
    over = true;
    abort.throwIfAborted();
    if (!finished) throw truncated(target);
  } catch (error) {
    throw toAppError(abort.aborted ? abort.reason : error);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', stop);
    if (!over) abort.abort(new AppError('cancelled', 'The attempt is over.'));
  }
}

function firstEventTimeout({ model }: Target): AppError {
  return new AppError('upstream_timeout', `${model.id} did not begin to answer in time.`, { provider: model.provider });
}

function truncated({ model }: Target): AppError {
  return new AppError('upstream_truncated', `The answer of ${model.id} was cut off before its end.`, {
    provider: model.provider,
  });
}

/** With the caller's own key only what asking again can mend: the network and the server's own faults (§6). */
const mendable = new Set<string>([
  'upstream_unreachable',
  'upstream_error',
  'upstream_overloaded',
  'upstream_truncated',
]);

/** Whether another model may do better: faults of the upstream, and what only this model refuses; never the request's own (§5.3.6). */
export function mayTryNext(error: AppError, ownKey = false): boolean {
  if (ownKey) return mendable.has(error.code) && getReason(error) === null;
  return isUpstreamFault(error) || error.code === 'context_length_exceeded' || getReason(error) === 'model_refuses';
}

/** What the request is refused for: it says nothing about the upstream's health. */
const refusalsOfRequest = new Set<string>([
  'content_policy_violation',
  'context_length_exceeded',
  'upstream_invalid_request',
  'byoapi_key_rejected',
  'byoapi_key_insufficient_quota',
]);

/** Faults that say something about the upstream's health. */
export const isUpstreamFault = ({ origin, code }: AppError): boolean =>
  origin === 'upstream' && !refusalsOfRequest.has(code);

/** The question as this model takes it, and what had to be changed for that. `recalled`: reasoning that the client did not send back. */
export function fitQuestion(
  question: Question,
  target: Pick<Target, 'model' | 'provider'>,
  recalled: CallState | null = null,
  coveredTokens: number | null = null,
): Fitted {
  const { parameters, openaiOnly, facts } = question;
  const { features } = facts;
  const shape = foundAgain(facts.shape, recalled, target.model.model);
  const maxTokens = knownMaxAnswer(question, features, target, coveredTokens);
  const hasGrammars = [...(question.clientTools?.values() ?? [])].some(({ isByGrammar }) => isByGrammar === true);
  return fitRequest(
    {
      parameters,
      openaiOnly,
      shape,
      marksCache: features.promptCache !== null,
      maxTokens,
      hasGrammars,
      accountId: question.principal.accountId,
      isOwnKey: question.byoKey !== null,
    },
    target.model,
  );
}

/** What a provider is asked, with the limit that its answer needs. */
export function requestFor({ question }: Run, target: Target, { fitted, recalled, whole }: Try): ProviderRequest {
  return {
    model: target.model.model,
    facts: target.model.facts,
    changes: fitted.changes,
    messages: question.messages,
    messagesJson: question.messagesJson,
    packed: question.packed,
    recalled,
    maxTokens: fitted.maxTokens,
    api: fitted.api,
    parameters: fitted.parameters,
    openaiOnly: fitted.openaiOnly,
    ...(question.clientTools ? { clientTools: question.clientTools } : {}),
    whole,
  };
}

/** The limit that is asked for; null where the provider decides. `coveredTokens`: no longer answer is paid for. */
function knownMaxAnswer(
  { maxTokens, principal }: Question,
  { inputTokens }: Features,
  { model, provider }: Pick<Target, 'model' | 'provider'>,
  coveredTokens: number | null,
): number | null {
  if (maxTokens !== null) return maxTokens;
  const { maxOutputTokens } = principal.plan;
  const needsLimit = provider.needsMaxTokens === true || maxOutputTokens !== null;
  if (!needsLimit && coveredTokens === null) return null;
  const room = (model.contextLength ?? Number.POSITIVE_INFINITY) - inputTokens;
  const usual = model.maxOutputTokens ?? (needsLimit ? defaultMaxTokens : Number.POSITIVE_INFINITY);
  const limits = [usual, maxOutputTokens, coveredTokens].map((limit) => limit ?? Number.POSITIVE_INFINITY);
  return Math.min(...limits, Math.max(room, smallestRoom));
}

/** Where a provider wants a limit and the catalogue knows none. */
const defaultMaxTokens = 8_192;
/** The input estimate may be too high: an answer is never left with less than this because of it. */
const smallestRoom = 1_024;

/**
 * What this model signed earlier in the conversation and the client did not send back; nothing where the provider signs nothing.
 * The request can be fitted to do without, so that a fault of the books is no fault of the request.
 */
export function recallReasoning(run: Run, target: Target): Promise<CallState | null> | null {
  const { question, deps } = run;
  const { unsignedCalls } = question.facts.shape;
  if (unsignedCalls.length === 0 || question.byoKey || !target.provider.signsReasoning) return null;
  return deps.reasoning.recall(getOwner(run, target), unsignedCalls).catch((error: unknown) => {
    deps.log({ event: 'reasoning_not_recalled', request_id: question.requestId, cause: String(error) });
    return null;
  });
}

/** Keeps what the provider signed, so that it is there when the calls' results come. Never of a caller's own key (§3.4). */
export function keepReasoning(run: Run, target: Target): Promise<void> | undefined {
  const { signed, question, deps } = run;
  if (signed.length === 0 || question.byoKey) return undefined;
  return deps.reasoning.keep(getOwner(run, target), signed).catch((error: unknown) => {
    deps.log({ event: 'reasoning_not_kept', request_id: question.requestId, cause: String(error) });
  });
}

const getOwner = ({ question }: Run, { model }: Target): ReasoningOwner => ({
  accountId: question.principal.accountId,
  model: model.id,
});

/** The shape of a conversation whose lost thinking was found again. `model`: who thought it. */
function foundAgain(shape: ConversationShape, recalled: CallState | null, model: string): ConversationShape {
  const { lastCalls } = shape;
  const found = lastCalls?.ids.some((id) => recalled?.get(id)?.anthropic);
  return lastCalls && found ? { ...shape, lastCalls: { ...lastCalls, thinkers: [model] } } : shape;
}

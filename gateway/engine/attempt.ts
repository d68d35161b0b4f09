import { AppError, toAppError } from '#shared/errors.ts';
import { formatWait } from '#shared/format-wait.ts';
import { isOwnServer } from '#shared/known-providers.ts';
import type { CallState } from '../providers/changed-request.ts';
import type { AskBill, ProviderEvent, ProviderRequest, TakeEvents } from '../providers/provider.ts';
import { getReason } from '../providers/upstream/upstream-error.ts';
import type { UpstreamFetch } from '../providers/upstream/upstream-response.ts';
import { Stop, type StopSignal } from '../runtime/concurrency/stop-signal.ts';
import type { Target } from './admit.ts';
import type { Meter, UsageLimits } from './billing/meter.ts';
import type { ChatTask } from './chat-task.ts';
import type { Fitted } from './fitting/fit-request.ts';
import { routeSummary } from './routing/resolve.ts';

type ContentEvent = Exclude<ProviderEvent, { type: 'start' | 'usage' | 'search' | 'finish' }>;

/** One call of one model for a chat request, and what it measured. Takes the upstream's events and hands them on to the client. */
export class Attempt {
  readonly target: Target;
  readonly meter: Meter;
  readonly limits: UsageLimits;
  readonly startedAt: number;
  readonly fitted: Fitted;
  /** Signed reasoning of earlier answers that the provider wants back and the client did not send. */
  readonly recalled: CallState | null;
  /** The answer comes in one piece: it was asked for like that, and the upstream has not begun to stream. */
  nonStreaming: boolean;
  firstTokenAt: number | null = null;
  /** Asks the provider what the answer cost. Null when it cannot be asked. */
  askBill: AskBill | null = null;
  /** How the upstream ended its answer. Null until it has. */
  finish: Extract<ProviderEvent, { type: 'finish' }> | null = null;
  /** The money did not cover a longer answer, so the gateway ended it. */
  isCut = false;
  readonly #task: ChatTask;

  constructor(
    task: ChatTask,
    given: Pick<Attempt, 'target' | 'meter' | 'limits' | 'fitted' | 'recalled' | 'nonStreaming'>,
  ) {
    this.#task = task;
    this.target = given.target;
    this.meter = given.meter;
    this.limits = given.limits;
    this.fitted = given.fitted;
    this.recalled = given.recalled;
    this.nonStreaming = given.nonStreaming;
    this.startedAt = task.deps.now();
  }

  /** The request that is sent to the provider. */
  get request(): ProviderRequest {
    const { target, fitted, recalled } = this;
    const { messages, messagesJson, packed, clientTools, stream } = this.#task.request;
    return {
      model: target.model.model,
      facts: target.model.facts,
      changes: fitted.changes,
      messages,
      messagesJson,
      packed,
      recalled,
      maxTokens: fitted.maxTokens,
      api: fitted.api,
      parameters: fitted.parameters,
      openaiOnly: fitted.openaiOnly,
      ...(clientTools ? { clientTools } : {}),
      nonStreaming: this.nonStreaming,
      isCollected: !stream,
    };
  }

  /**
   * Takes events that came together, and hands on those that the hold covers. Does so at once when neither ledger nor client has to be
   * waited for.
   */
  take(events: readonly ProviderEvent[]): Promise<void> | undefined {
    const { delivery, reserve, signed } = this.#task;
    const allowed = delivery.readOnAfter === null ? reserve.outputLimit : this.limits.outputTokens;
    const content: ContentEvent[] = [];
    for (let index = 0; index < events.length; index += 1) {
      const event = events[index];
      if (!event) continue;
      const pieces = event.type === 'text-delta' && event.text.length <= pieceChars ? null : splitEvents(event);
      if (pieces) return this.#takeEach(content, pieces, events.slice(index + 1));
      this.meter.observe(event);
      if (event.type === 'finish') this.finish = event;
      else if (event.type !== 'start' && event.type !== 'usage' && event.type !== 'search') {
        if (event.type === 'tool-call-start' && event.extraContent)
          signed.push({ id: event.id, state: event.extraContent });
        if (allowed !== null && this.meter.outputTokens > allowed * overrun) return this.#cut(content);
        content.push(event.type === 'tool-call-start' ? this.#withOwnName(event) : event);
      }
    }
    if (content.length === 0) return undefined;
    return this.#task.hasSent ? delivery.emit(content) : this.#emit(content);
  }

  /** Returns a call with the name that the client gave its tool. */
  #withOwnName(event: Extract<ContentEvent, { type: 'tool-call-start' }>): ContentEvent {
    const sent = Object.entries(this.fitted.changes?.toolNames ?? {});
    const own = sent.find(([, name]) => name === event.name)?.[0];
    return own === undefined ? event : { ...event, name: own };
  }

  async #emit(content: readonly ContentEvent[]): Promise<void> {
    await this.begin();
    if (content.length > 0) await this.#task.delivery.emit(content);
  }

  /**
   * Sends the route, the first part of every answer. When the client reads along, that waits until the hold is on the disk. Nothing of a
   * non-streaming answer is sent before its settlement, and with it the hold, is on the disk.
   */
  async begin(): Promise<void> {
    const { hasSent, deps, held, attempts, plan, delivery } = this.#task;
    if (hasSent) return;
    this.firstTokenAt = deps.now();
    if (!this.nonStreaming) await held.durable;
    const { model } = this.target;
    this.#task.hasSent = true;
    await delivery.emit([
      {
        type: 'route',
        provider: model.provider,
        model: model.model,
        attempts: attempts.length + 1,
        summary: routeSummary(plan.decision, model),
      },
    ]);
  }

  /** Ends the answer, because the upstream exceeds the limit that it was given, or because more of it would cost more than is held. */
  async #cut(content: readonly ContentEvent[]): Promise<void> {
    await this.#emit(content);
    this.isCut = true;
    throw new AppError('cancelled', 'What is left does not cover a longer answer.');
  }

  async #takeEach(
    content: readonly ContentEvent[],
    pieces: readonly ProviderEvent[],
    rest: readonly ProviderEvent[],
  ): Promise<void> {
    if (content.length > 0) await this.#emit(content);
    for (const piece of pieces) await this.take([piece]);
    await this.take(rest);
  }
}

/** The count of a running answer is an estimate: an upstream that keeps to its limit never seems to send twice as much. */
const overrun = 2;

/** At most this much text goes out as one event. A provider may send a thousand times as much at once. */
const pieceChars = 16_384;

/**
 * Splits a long event into several short ones. Returns null for a short event. A client that does not read then keeps one piece waiting,
 * and not copies of all the text in each form that it passes through.
 */
export function splitEvents(event: ProviderEvent): readonly ProviderEvent[] | null {
  switch (event.type) {
    case 'text-delta':
      return event.text.length > pieceChars && !event.logprobs
        ? getPieces(event.text).map((text) => ({ type: event.type, text }))
        : null;
    case 'reasoning-delta':
      return event.text.length > pieceChars && (event.details ?? []).length <= 1 ? reasoningPieces(event) : null;
    case 'refusal-delta':
      return event.text.length > pieceChars ? getPieces(event.text).map((text) => ({ type: event.type, text })) : null;
    case 'tool-call-delta':
      return event.arguments.length > pieceChars
        ? getPieces(event.arguments).map((text) => ({ ...event, arguments: text }))
        : null;
    default:
      return null;
  }
}

/** Each piece repeats the fields of its block, except the signature, which goes with the last piece. */
function reasoningPieces({ text, details }: Extract<ProviderEvent, { type: 'reasoning-delta' }>): ProviderEvent[] {
  const pieces = getPieces(text);
  const [detail] = details ?? [];
  if (!detail) return pieces.map((piece) => ({ type: 'reasoning-delta', text: piece }));
  const { signature, ...unsigned } = detail;
  return pieces.map((piece, index) => {
    const own = index === pieces.length - 1 && signature !== undefined ? { ...unsigned, signature } : unsigned;
    return { type: 'reasoning-delta', text: piece, details: [{ ...own, text: piece }] };
  });
}

/** Splits a text without separating a pair of surrogates: half of a pair is no character. */
function getPieces(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const wanted = start + pieceChars;
    const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(wanted - 1));
    const end = isSplit ? wanted - 1 : wanted;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

export interface UpstreamCallContext {
  /** Stops the attempt at once; its reason is an `AppError` that explains why. */
  readonly signal: StopSignal;
  /** How long the upstream may take to begin. */
  readonly firstEventMs: number;
  /** How long the upstream may be silent in the middle of a stream. */
  readonly silentMs: number;
  /**
   * A non-streaming answer has no beginning of its own, so only the limit of the complete answer counts, unless the upstream streams after
   * all.
   */
  readonly nonStreaming: boolean;
  readonly fetch: UpstreamFetch;
  readonly answersInParts: () => void;
  readonly offersCost: (ask: AskBill) => void;
}

/**
 * Calls one upstream once. Resolves only after a `finish` event; everything else that can happen is an `AppError`. An error that `take`
 * throws stops the attempt and aborts the upstream.
 */
export async function callUpstream(
  target: Target,
  request: ProviderRequest,
  context: UpstreamCallContext,
  take: TakeEvents,
): Promise<void> {
  const { firstEventMs, silentMs, nonStreaming, fetch, offersCost } = context;
  const abort = new Stop();
  const stop = () => abort.abort(context.signal.reason);
  if (context.signal.aborted) stop();
  context.signal.addEventListener('abort', stop, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const expectBeginning = () => {
    timer = setTimeout(() => abort.abort(firstEventTimeout(target, firstEventMs)), firstEventMs);
  };
  if (!nonStreaming) expectBeginning();
  let hasBegun = false;
  let hasFinished = false;
  let isOver = false;
  try {
    abort.throwIfAborted();
    const { provider, credential } = target;
    const upstream = {
      credential,
      signal: abort,
      fetch,
      silentMs,
      offersCost,
      answersNonStreaming: () => clearTimeout(timer),
      answersInParts() {
        if (!nonStreaming) return;
        expectBeginning();
        context.answersInParts();
      },
    };
    await provider.chat(request, upstream, (events) => {
      if (events.length === 0) return undefined;
      if (!hasBegun) clearTimeout(timer);
      hasBegun = true;
      if (!hasFinished) for (const { type } of events) if (type === 'finish') hasFinished = true;
      return take(events);
    });
    isOver = true;
    abort.throwIfAborted();
    if (!hasFinished) throw truncated(target);
  } catch (error) {
    throw toAppError(abort.aborted ? abort.reason : error);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', stop);
    if (!isOver) abort.abort(new AppError('cancelled', 'The attempt is over.'));
  }
}

function firstEventTimeout({ model }: Target, waitedMs: number): AppError {
  const { id, provider } = model;
  const setting = isOwnServer(provider) ? ' A longer time can be set for this server.' : '';
  const message = `${id} did not begin to answer within ${formatWait(waitedMs)}.${setting}`;
  return new AppError('upstream_timeout', message, { provider });
}

function truncated({ model }: Target): AppError {
  return new AppError('upstream_truncated', `The answer of ${model.id} was cut off before its end.`, {
    provider: model.provider,
  });
}

/** With the caller's own key, another attempt follows only these errors: faults of the network and of the server (§6). */
const mendable = new Set<string>([
  'upstream_unreachable',
  'upstream_error',
  'upstream_overloaded',
  'upstream_truncated',
]);

/**
 * Whether another model may do better: after faults of the upstream and after refusals by this model only, but never after the request's
 * own faults (§5.3.6).
 */
export function mayTryNext(error: AppError, ownKey = false): boolean {
  if (ownKey) return mendable.has(error.code) && getReason(error) === null;
  return isUpstreamFault(error) || error.code === 'context_length_exceeded' || getReason(error) === 'model_refuses';
}

/** Refusals because of the request: they mean nothing for the upstream's health. */
const refusalsOfRequest = new Set<string>([
  'content_policy_violation',
  'context_length_exceeded',
  'upstream_invalid_request',
  'byoapi_key_rejected',
  'byoapi_key_insufficient_quota',
]);

/** Whether an error counts against the upstream's health. */
export const isUpstreamFault = ({ origin, code }: AppError): boolean =>
  origin === 'upstream' && !refusalsOfRequest.has(code);

import { AppError, toAppError } from '#shared/errors.ts';
import type { NanoUsd } from '#shared/money.ts';
import { noTokens, type TokenUsage } from '#shared/price.ts';
import type { Routing, Warning } from '#shared/wire/chat-response.ts';
import type { CredentialWatch } from '../../access/auth/watch-credentials.ts';
import type { AdmissionDeps, Target } from '../../engine/admit.ts';
import { isUpstreamFault, mayTryNext } from '../../engine/attempt.ts';
import { type Billable, billFor, billWarnings, getRouting, type Outcome } from '../../engine/bill.ts';
import { Meter, nothingHidden, type UsageLimits } from '../../engine/billing/meter.ts';
import { Reserve, reserveInput } from '../../engine/billing/reserve.ts';
import type { Leases } from '../../engine/engine.ts';
import { ownKeyError } from '../../engine/own-key-error.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Embeddings } from '../../providers/embedding.ts';
import type { UpstreamFetch } from '../../providers/upstream/upstream-response.ts';
import type { Running } from '../../runtime/concurrency/running.ts';
import { Stop, type StopSignal } from '../../runtime/concurrency/stop-signal.ts';
import type { AdmittedEmbeddings } from './admit-embeddings.ts';
import type { EmbeddingCall } from './read-call.ts';

export interface EmbedDeps extends AdmissionDeps {
  readonly ledger: Ledger;
  readonly running: Running;
  readonly credentials: Pick<CredentialWatch, 'watch'>;
  readonly leases: Leases;
  readonly fetch: UpstreamFetch;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  readonly byokFeeBps: number;
  /** How long a provider may take for the complete answer. */
  readonly answerMs: number;
}

/** Embeddings, with the usage and cost that the ledger recorded. */
export interface Embedded {
  readonly target: Target;
  readonly data: string;
  readonly usage: TokenUsage;
  readonly cost: NanoUsd;
  readonly estimated: boolean;
  readonly routing: Routing;
  readonly warnings: readonly Warning[];
}

/** A running request, with everything that its cost is computed from. */
type EmbeddingRun = { -readonly [Name in keyof Billable]: Billable[Name] } & {
  readonly call: EmbeddingCall;
  readonly plan: AdmittedEmbeddings;
  readonly deps: EmbedDeps;
  readonly signal: StopSignal;
};

/**
 * Holds the maximum cost, calls the provider, and settles. A client disconnect doesn't stop the provider, which charges
 * for the answer anyway: the answer is read and recorded as cancelled, but nobody gets it. Rejects with the reason if
 * there are no embeddings.
 */
export async function embed(
  call: EmbeddingCall,
  admitted: AdmittedEmbeddings,
  client: StopSignal,
  deps: EmbedDeps,
  measured: (tokens: number) => void,
): Promise<Embedded> {
  client.throwIfAborted();
  const stop = new Stop();
  const undo = [
    deps.credentials.watch(call.principal, (why) => stop.abort(why)),
    deps.running.whenStopped(() => stop.abort(shuttingDown())),
  ];
  if (deps.running.stopped) stop.abort(shuttingDown());
  try {
    const run = await open(call, admitted, stop, deps);
    undo.push(deps.leases.keep(() => renew(run)));
    const answer = await askAll(run).catch(toAppError);
    return await close(run, answer, client, measured);
  } finally {
    for (const end of undo) end();
  }
}

const shuttingDown = () => new AppError('shutting_down', 'The gateway is shutting down.');
const clientGone = () => new AppError('client_closed_request', 'The client went away before the answer was complete.');

/** Holds the amount that the request may cost. */
async function open(
  call: EmbeddingCall,
  admitted: AdmittedEmbeddings,
  signal: StopSignal,
  deps: EmbedDeps,
): Promise<EmbeddingRun> {
  const { requestId, principal, byoKey, metadata, user, fullRouting } = call;
  const [{ model }] = admitted.targets;
  const input = reserveInput({ requestId, principal, byoKey, maxTokens: 0 }, admitted.features, deps.byokFeeBps);
  const reserve = new Reserve(input, deps.ledger);
  const held = await deps.ledger.decide({
    requestId,
    accountId: principal.accountId,
    keyId: principal.credential.id,
    amount: reserve.amounts(model).min,
    provider: model.provider,
    model: model.model,
    byok: byoKey !== null,
    purpose: metadata.purpose ?? null,
    conversationId: metadata.conversation_id ?? null,
    user,
    metadata,
  });
  reserve.opened(model, held.amount);
  return {
    call,
    plan: admitted,
    reserve,
    deps,
    signal,
    current: null,
    attempts: [],
    wasted: 0n,
    hasSent: false,
    startedAt: deps.now(),
    request: { requestId, byoKey, fullRouting, stream: false },
  };
}

function renew({ deps, call }: EmbeddingRun): void {
  deps.ledger.renew(call.requestId).catch((error: unknown) => {
    deps.log({ event: 'lease_renewal_failed', requestId: call.requestId, cause: String(error) });
  });
}

async function askAll(run: EmbeddingRun): Promise<Embeddings> {
  let left: readonly Target[] = run.plan.targets;
  for (;;) {
    const [target, ...rest] = left;
    if (!target) throw new Error('there was no model left to ask');
    try {
      return await askOne(run, target);
    } catch (thrown) {
      const error = toAppError(thrown);
      const ownKey = run.call.byoKey !== null;
      left = rest;
      const again = left.length > 0 && !run.signal.aborted && mayTryNext(error, ownKey);
      if (!again) throw ownKey ? ownKeyError(error) : error;
    }
  }
}

async function askOne(run: EmbeddingRun, target: Target): Promise<Embeddings> {
  const { call, deps, plan } = run;
  const { health, now } = deps;
  const { id } = target.model;
  const { accountId } = call.principal;
  const counts = call.byoKey === null;
  const { tokenCeiling } = call.extent;
  const limits: UsageLimits = {
    inputTokens: tokenCeiling,
    outputTokens: 0,
    heldOutputTokens: 0,
    searches: 0,
    hidden: nothingHidden,
    disbelievedOutputTokens: 0,
    maxInputTokens: () => tokenCeiling,
  };
  const meter = new Meter(plan.features.inputTokens, limits);
  run.current = { target, meter, limits, firstTokenAt: null };
  const startedAt = now();
  const record = (code: string | null) =>
    run.attempts.push({
      provider: target.model.provider,
      model: target.model.model,
      status: code === null ? 'ok' : 'error',
      code,
      latency_ms: Math.max(0, Math.round(now() - startedAt)),
    });
  if (counts) health.begin(id, accountId);
  try {
    const made = await attempt(run, target);
    meter.observe({ type: 'start' });
    const { promptTokens } = made;
    if (promptTokens !== null) meter.observe({ type: 'usage', usage: { ...noTokens, promptTokens } });
    record(null);
    if (counts) health.succeeded(id, accountId, null);
    return made;
  } catch (thrown) {
    const error = toAppError(thrown);
    record(error.code);
    if (counts && isUpstreamFault(error) && !run.signal.aborted) health.failed(id, accountId, error);
    else if (counts) health.abandoned(id, accountId);
    throw error;
  }
}

/** Calls one provider once. */
async function attempt({ call, signal, deps }: EmbeddingRun, { provider, model, credential }: Target) {
  const { inputs, dimensions, format, user } = call;
  if (!provider.embed) throw new Error(`${provider.id} offers no embeddings`);
  const abort = new Stop();
  const stop = () => abort.abort(signal.reason);
  const late = () => new AppError('upstream_timeout', `${model.id} did not answer in time.`, { provider: provider.id });
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => abort.abort(late()), deps.answerMs);
  try {
    const request = { model: model.model, inputs, dimensions, format, user, account: call.principal.accountId };
    return await provider.embed(request, { credential, signal: abort, fetch: deps.fetch });
  } catch (error) {
    throw toAppError(abort.aborted ? abort.reason : error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Settles the hold. The answer contains the usage and cost that the ledger recorded. */
async function close(
  run: EmbeddingRun,
  answer: Embeddings | AppError,
  client: StopSignal,
  measured: (tokens: number) => void,
): Promise<Embedded> {
  const { deps, call, current } = run;
  const error = answer instanceof AppError ? answer : client.aborted ? clientGone() : null;
  const outcome: Outcome = error
    ? { kind: 'failed', error, byClient: false }
    : { kind: 'finished', reason: 'stop', served: null };
  const bill = billFor(run, outcome);
  const { usage } = bill.metered;
  if (bill.unbelieved)
    deps.log({ ...bill.unbelieved, event: 'usage_clamped', level: 'warn', request_id: call.requestId });
  measured(usage.promptTokens);
  if (error || answer instanceof AppError || !current) {
    await deps.ledger.settle(bill.settlement).catch((cause: unknown) => {
      deps.log({ event: 'settlement_failed', requestId: call.requestId, cause: String(cause) });
    });
    throw error ?? new AppError('internal_error', 'An answer has no author.');
  }
  const { charged } = await deps.ledger.settle(bill.settlement);
  return {
    target: current.target,
    data: answer.data,
    usage,
    cost: charged,
    estimated: bill.settlement.estimated,
    routing: getRouting(run, current),
    warnings: [...run.plan.warnings, ...billWarnings(outcome, bill)],
  };
}

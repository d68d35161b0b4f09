import { type AppError, toAppError } from '#shared/errors.ts';
import { isOwnServer } from '#shared/known-providers.ts';
import { nanoUsd } from '#shared/money.ts';
import type { Held } from '../ledger/ledger.ts';
import { isModelRefusal } from '../ledger/spending-limits.ts';
import { thinkingBudgets } from '../models/catalogue/thinking-budgets.ts';
import type { CallState } from '../providers/changed-request.ts';
import type { AskBill } from '../providers/provider.ts';
import type { StopSignal } from '../runtime/concurrency/stop-signal.ts';
import { admit, type RoutePlan, type Target } from './admit.ts';
import type { AnswerPart, ChatRequest } from './answer.ts';
import type { AnswerDelivery, ReadsOn } from './answer-delivery.ts';
import { Attempt, callUpstream, isUpstreamFault, mayTryNext } from './attempt.ts';
import {
  type Bill,
  billFor,
  billWarnings,
  endsUncounted,
  getRouting,
  type Outcome,
  toCostBreakdown,
  upstreamCost,
} from './bill.ts';
import { type HiddenThinking, Meter, nothingHidden, usageLimits } from './billing/meter.ts';
import { knownMaxAnswer, Reserve, type ReserveInput, reserveInput, withAffordableTokens } from './billing/reserve.ts';
import type { EngineDeps } from './engine.ts';
import { type Fitted, fitChatRequest } from './fitting/fit-request.ts';
import { ownKeyError, unknownName } from './own-key-error.ts';
import type { ReasoningOwner, SignedCall } from './reasoning/reasoning-state.ts';
import type { AttemptRecord } from './routing/resolve.ts';

/** What every task needs from the start. */
interface TaskContext {
  readonly request: ChatRequest;
  readonly deps: EngineDeps;
  readonly signal: StopSignal;
  readonly delivery: AnswerDelivery;
}

/**
 * Answers one chat request from its admission to its settlement. It runs as a task of its own: the client may disconnect at any time
 * without stopping the settlement (wire contract §1.4.6). Rejects when there is no complete answer.
 */
export async function answerRequest(context: TaskContext): Promise<void> {
  const { request, deps } = context;
  const startedAt = deps.now();
  let plan = admit(request, deps);
  const input = reserveInput(request, plan.features, deps.byokFeeBps);
  const reserve = new Reserve(input, deps.ledger);
  let held: Held;
  try {
    held = await hold(request, plan, reserve, deps);
  } catch (error) {
    ({ plan, held } = await holdForAnother(error, request, plan, input, reserve, deps));
  }
  reserve.opened(plan.targets[0].model, held.amount);
  await new ChatTask(context, { plan, reserve, held, startedAt }).run();
}

/** Holds for the next model when a limit of the first model refuses it. Throws the last refusal when all models are refused. */
async function holdForAnother(
  error: unknown,
  request: ChatRequest,
  plan: RoutePlan,
  input: ReserveInput,
  reserve: Reserve,
  deps: EngineDeps,
): Promise<{ readonly plan: RoutePlan; readonly held: Held }> {
  const [{ model }] = plan.targets;
  const [next, ...later] = isModelRefusal(error) ? plan.targets.filter((target) => target.model !== model) : [];
  if (!next) throw withAffordableTokens(error, input, model);
  const others: RoutePlan = { ...plan, targets: [next, ...later] };
  try {
    return { plan: others, held: await hold(request, others, reserve, deps) };
  } catch (again) {
    return holdForAnother(again, request, others, input, reserve, deps);
  }
}

/** Opens the request in the ledger. From its return on the request must be settled; the disk may still be writing the hold. */
function hold(request: ChatRequest, plan: RoutePlan, reserve: Reserve, deps: EngineDeps): Held | Promise<Held> {
  const [{ model }] = plan.targets;
  const { min, max } = reserve.amounts(model);
  return deps.ledger.decide({
    requestId: request.requestId,
    accountId: request.principal.accountId,
    keyId: request.principal.credential.id,
    amount: min,
    preferred: max,
    provider: model.provider,
    model: model.model,
    byok: request.byoKey !== null,
    purpose: request.metadata.purpose ?? null,
    conversationId: request.metadata.conversation_id ?? null,
    user: request.parameters.user ?? null,
    metadata: request.metadata,
  });
}

/** No model is asked when less time than this is left, because its answer could only be late. */
const minTimeMs = 10;

/** A chat request that is held for, while its models are asked one after the other. */
export class ChatTask {
  readonly request: ChatRequest;
  readonly deps: EngineDeps;
  readonly signal: StopSignal;
  readonly delivery: AnswerDelivery;
  readonly plan: RoutePlan;
  readonly reserve: Reserve;
  readonly startedAt: number;
  /** No byte of the answer may be sent until this hold is durable. */
  readonly held: Held;
  readonly attempts: AttemptRecord[] = [];
  /** The answer's tool calls that come with reasoning state that their provider wants back. */
  readonly signed: SignedCall[] = [];
  current: Attempt | null = null;
  /** Something of the answer was sent: from here on no other model may be asked. */
  hasSent = false;
  /** What earlier, failed attempts will cost whoever pays the upstream. */
  wasted = 0n;
  /** How long the upstreams may take to begin, from `startedAt`, by the slowest model that was asked. */
  #firstEventMs: number;

  constructor(
    { request, deps, signal, delivery }: TaskContext,
    { plan, reserve, held, startedAt }: Pick<ChatTask, 'plan' | 'reserve' | 'held' | 'startedAt'>,
  ) {
    this.request = request;
    this.deps = deps;
    this.signal = signal;
    this.delivery = delivery;
    this.plan = plan;
    this.reserve = reserve;
    this.held = held;
    this.startedAt = startedAt;
    this.#firstEventMs = deps.timeouts.firstEventMs;
  }

  async run(): Promise<void> {
    const unlease = this.deps.leases.keep(() => this.#renew());
    try {
      const outcome = await this.#askAll().catch((error: unknown) => this.#failure(toAppError(error)));
      // Only the token count of an answer that is read on matters. However it ended, its client had disconnected before.
      const { readOnAfter } = this.delivery;
      await this.#settle(readOnAfter ? { kind: 'failed', error: readOnAfter, byClient: false } : outcome);
    } finally {
      unlease();
    }
  }

  #renew(): void {
    const { deps, request } = this;
    deps.ledger.renew(request.requestId).catch((error: unknown) => {
      deps.log({ event: 'lease_renewal_failed', requestId: request.requestId, cause: String(error) });
    });
  }

  /** Asks the targets in order until one answers. After the first part that was sent there is no other (§1.4.3, §5.3.6). */
  async #askAll(): Promise<Outcome> {
    const isOwnKey = this.request.byoKey !== null;
    let left: readonly Target[] = this.plan.targets;
    for (;;) {
      const [target, ...rest] = left;
      if (!target) throw new Error('there was no model left to ask');
      try {
        return await this.#askOne(target, rest.length === 0);
      } catch (thrown) {
        const error = toAppError(thrown);
        this.#recordFailure(error);
        left = error.code === 'context_length_exceeded' ? rest.filter((next) => isLarger(next, target)) : rest;
        const giveUp =
          this.hasSent ||
          this.signal.aborted ||
          this.delivery.readOnAfter !== null ||
          this.#timeToBegin() < minTimeMs ||
          !mayTryNext(error, isOwnKey) ||
          !left[0] ||
          !(await this.reserve.cover(left[0].model));
        if (giveUp) throw unknownName(target, error) ?? (isOwnKey ? ownKeyError(error) : error);
        const { current } = this;
        if (current?.meter.started) this.wasted += upstreamCost(current, current.meter.partial());
      }
    }
  }

  async #askOne(target: Target, isLast: boolean): Promise<Outcome> {
    const { deps, signal, delivery, request } = this;
    const recalling = this.#recallReasoning(target);
    const attempt = this.#begin(target, recalling && (await recalling));
    const { nonStreaming } = attempt;
    const { silentMs } = this.#timeouts(target, attempt.fitted);
    const { provider } = target.model;
    let release: (() => void) | null = null;
    const readsOn: ReadsOn = (why, stop) => {
      // A simulated model computes nothing that the client does not see.
      if (target.model.simulated) return 'no';
      const { accountId } = request.principal;
      if (attempt.nonStreaming) {
        const isForgiven = deps.disconnectPenalties.forgives(accountId);
        return isForgiven || request.byoKey || !mayReadOn(attempt) ? 'no' : 'to_its_end';
      }
      if (!countsLate(attempt)) return 'no';
      release = deps.readingOn.begin(accountId, stop);
      if (!release) return 'no';
      this.#detachUncounted(attempt, why);
      return 'detached';
    };
    delivery.asks(provider, nonStreaming, readsOn);
    const context = {
      signal,
      firstEventMs: this.#firstEventLimit(attempt, isLast),
      silentMs,
      nonStreaming,
      fetch: deps.fetch,
      answersInParts() {
        attempt.nonStreaming = false;
        delivery.asks(provider, false, readsOn);
      },
      offersCost(ask: AskBill) {
        attempt.askBill = ask;
      },
    };
    try {
      await callUpstream(target, attempt.request, context, attempt.take.bind(attempt));
    } catch (error) {
      if (!attempt.isCut) throw error;
      await attempt.begin();
      this.#recordCut(attempt);
      return { kind: 'out_of_credit' };
    } finally {
      (release as (() => void) | null)?.();
    }
    await attempt.begin();
    this.#recordSuccess(attempt);
    const { reason = 'stop', served = null } = attempt.finish ?? {};
    const { outputLimit } = this.reserve;
    // The model was asked for a shorter answer than it gives, because the hold covers no longer one.
    if (reason === 'length' && outputLimit !== null && attempt.fitted.maxTokens === outputLimit)
      return { kind: 'out_of_credit' };
    return { kind: 'finished', reason, served };
  }

  #begin(target: Target, recalled: CallState | null): Attempt {
    const { deps, request, plan, reserve } = this;
    if (!request.byoKey) deps.health.begin(target.model.id, request.principal.accountId);
    const fitted = fitChatRequest(request, target, recalled, reserve.outputLimit);
    const limits = usageLimits(request, target.model, reserve, hiddenThinking(target, fitted), fitted.maxTokens ?? 0);
    const cachedShare = deps.cachedShares.recall(plan.conversation, target.model.id);
    const meter = new Meter(plan.features.inputTokens, limits, cachedShare);
    const nonStreaming = this.#wantsNonStreaming(target);
    this.current = new Attempt(this, { target, meter, limits, fitted, recalled, nonStreaming });
    const { firstEventMs, totalMs } = this.#timeouts(target, fitted);
    this.#firstEventMs = Math.max(this.#firstEventMs, firstEventMs);
    this.delivery.allow(totalMs);
    return this.current;
  }

  /** How long this model may take to begin, be silent, and answer: as its operator set it, or else by what it is. */
  #timeouts({ model, credential }: Target, { thinks }: Fitted): Timeouts {
    const { timeouts } = this.deps;
    const usual = thinks ? timeouts.thinking : timeouts;
    const ownMs = credential.timeoutMs ?? (isSlow(model) ? timeouts.ownServerMs : null);
    if (ownMs === null) return usual;
    return { firstEventMs: ownMs, silentMs: ownMs, totalMs: Math.max(ownMs, usual.totalMs) };
  }

  /**
   * A client that waits for the complete answer gets it from an upstream that was asked for a non-streaming one: nothing is parsed a
   * hundred times. An answer is streamed from the upstream when credit may end it, because a non-streaming one cannot be cut, and when it
   * is one of several models of which the next is asked if the first does not begin, because nobody sees a non-streaming answer begin
   * (docs/decisions/043). With the log probabilities of other tokens an answer is a hundred times as long: it is streamed as well.
   */
  #wantsNonStreaming({ provider, model }: Target): boolean {
    const { request, deps, plan, reserve } = this;
    const { maxTokens, principal } = request;
    return (
      deps.isNonStreaming &&
      !request.stream &&
      request.openaiOnly.top_logprobs === undefined &&
      plan.targets.length === 1 &&
      reserve.outputLimit === null &&
      // A model whose longest answer is unknown is never asked for a non-streaming one.
      (knownMaxAnswer({ maxTokens, planMaxOutputTokens: principal.plan.maxOutputTokens }, model) ?? Number.NaN) <=
        (provider.maxNonStreamingTokens ?? -1) &&
      !deps.disconnectPenalties.has(principal.accountId)
    );
  }

  /**
   * 30 s for each attempt, and what is left of 120 s for the last one (§5.3.6). A model that thinks, or that runs on a server of one's own,
   * gets all that is left: no other one is
   * asked while it may still be at work, and paid for.
   */
  #firstEventLimit({ fitted, target }: Attempt, isLast: boolean): number {
    const { timeoutMs = Number.POSITIVE_INFINITY } = target.credential;
    const left = Math.min(timeoutMs, Math.max(minTimeMs, this.#timeToBegin()));
    const hasTime = isLast || fitted.thinks || isSlow(target.model) || timeoutMs < Number.POSITIVE_INFINITY;
    return hasTime ? left : Math.min(this.deps.timeouts.attemptMs, left);
  }

  /** Milliseconds that are left for an upstream's first event. */
  #timeToBegin(): number {
    return this.startedAt + this.#firstEventMs - this.deps.now();
  }

  /**
   * Finds what this model signed earlier in the conversation and the client did not send back. Null when the provider signs nothing. The
   * request can do without, so a fault of the database is not a fault of the request.
   */
  #recallReasoning(target: Target): Promise<CallState | null> | null {
    const { request, deps } = this;
    const { unsignedCalls } = request.facts.shape;
    if (unsignedCalls.length === 0 || request.byoKey || !target.provider.signsReasoning) return null;
    return deps.reasoning.recall(this.#reasoningOwner(target), unsignedCalls).catch((error: unknown) => {
      deps.log({ event: 'reasoning_not_recalled', request_id: request.requestId, cause: String(error) });
      return null;
    });
  }

  /** Stores what the provider signed, so that it is there when the calls' results come. Never with the caller's own key (§3.4). */
  #storeReasoning(target: Target): Promise<void> | undefined {
    const { signed, request, deps } = this;
    if (signed.length === 0 || request.byoKey) return undefined;
    return deps.reasoning.keep(this.#reasoningOwner(target), signed).catch((error: unknown) => {
      deps.log({ event: 'reasoning_not_kept', request_id: request.requestId, cause: String(error) });
    });
  }

  #reasoningOwner({ model }: Target): ReasoningOwner {
    return { accountId: this.request.principal.accountId, model: model.id };
  }

  #recordSuccess(attempt: Attempt): void {
    const { deps, request, plan } = this;
    const { model } = attempt.target;
    this.#pushRecord(attempt, null);
    deps.sticky.remember(plan.conversation, model.id);
    if (request.byoKey) return;
    const { accountId } = request.principal;
    // The time to the first token of a non-streaming answer is unknown.
    if (attempt.nonStreaming) {
      deps.health.succeeded(model.id, accountId, null);
      return;
    }
    const firstAt = attempt.firstTokenAt ?? deps.now();
    const seconds = (deps.now() - firstAt - this.delivery.backpressureMs) / 1_000;
    const tokensPerSecond = seconds > 0.1 ? attempt.meter.outputTokens / seconds : null;
    deps.health.succeeded(model.id, accountId, { firstTokenMs: firstAt - attempt.startedAt, tokensPerSecond });
  }

  /** The gateway ended the answer: that means nothing for the upstream's health. */
  #recordCut(attempt: Attempt): void {
    this.#pushRecord(attempt, null);
    const { byoKey, principal } = this.request;
    if (!byoKey) this.deps.health.abandoned(attempt.target.model.id, principal.accountId);
  }

  /** Only faults of the upstream count against its health: never the caller's key, request or disconnection. */
  #recordFailure(error: AppError): void {
    const { current, deps, request } = this;
    if (!current) return;
    const { model } = current.target;
    this.#pushRecord(current, error.code);
    if (request.byoKey) return;
    const itsFault = isUpstreamFault(error) && !this.signal.aborted && !this.#failure(error).byClient;
    const { accountId } = request.principal;
    if (itsFault) deps.health.failed(model.id, accountId, error);
    else deps.health.abandoned(model.id, accountId);
  }

  #pushRecord(attempt: Attempt, code: string | null): void {
    const { model } = attempt.target;
    this.attempts.push({
      provider: model.provider,
      model: model.model,
      status: code === null ? 'ok' : 'error',
      code,
      latency_ms: Math.max(0, Math.round((attempt.firstTokenAt ?? this.deps.now()) - attempt.startedAt)),
    });
  }

  /** Why there is no complete answer, and whether its client is the cause. */
  #failure(error: AppError): Extract<Outcome, { kind: 'failed' }> {
    const byClient = this.hasSent && !this.signal.aborted && isUpstreamFault(error) && this.delivery.explainsBreak;
    return { kind: 'failed', error, byClient };
  }

  /** Settles, and then sends how the answer ended: the finish carries what the ledger has. */
  async #settle(outcome: Outcome): Promise<void> {
    const { deps, request, plan } = this;
    if (endsUncounted(this, outcome)) await this.#askProviderCost(outcome);
    const bill = await this.#coveredBill(outcome);
    const { usage, unbelieved } = bill.metered;
    if (this.current?.meter.isFullyCounted && !unbelieved)
      deps.cachedShares.remember(plan.conversation, this.current.target.model.id, usage);
    if (bill.unbelieved)
      deps.log({ ...bill.unbelieved, event: 'usage_clamped', level: 'warn', request_id: request.requestId });
    this.delivery.measured(usage.promptTokens + usage.completionTokens);
    if (outcome.kind === 'failed') {
      await deps.ledger.settle(bill.settlement).catch((error: unknown) => {
        deps.log({ event: 'settlement_failed', requestId: request.requestId, cause: String(error) });
      });
      throw outcome.error;
    }
    if (!this.current) throw new Error('an answer has no author');
    const storing = this.#storeReasoning(this.current.target);
    const { charged } = await deps.ledger.settle(bill.settlement);
    if (storing !== undefined) await storing;
    const finish: AnswerPart = {
      type: 'finish',
      reason: outcome.kind === 'finished' ? outcome.reason : 'length',
      ...(outcome.kind === 'finished' && outcome.served ? { served: outcome.served } : {}),
      usage,
      cost: charged,
      upstreamCost: bill.isCostUnknown ? null : bill.settlement.upstreamCost,
      estimated: bill.settlement.estimated,
      ...(request.stream ? { costBreakdown: toCostBreakdown(bill, charged, request.byoKey !== null) } : {}),
      byok: request.byoKey !== null,
      // A named model had no competitors, so even its complete routing is short.
      routing: (plan.decision.kind === 'direct' && bill.routing) || getRouting(this, this.current),
      warnings: [
        ...request.warnings,
        ...plan.warnings,
        ...this.current.fitted.warnings,
        ...billWarnings(outcome, bill),
      ],
    };
    await this.delivery.emit([finish]);
  }

  /**
   * Asks the provider what the answer cost; the hold waits as long as the provider may take. A client that has disconnected does not wait
   * for it. A connected client waits only for the end of the answer.
   */
  async #askProviderCost(outcome: Outcome): Promise<void> {
    const { current, deps, request } = this;
    if (!current?.askBill) return;
    if (outcome.kind === 'failed') this.#detachUncounted(current, outcome.error);
    const reported = await deps.providerCosts.learn(request.requestId, current.askBill);
    if (reported) current.meter.settle(reported);
  }

  /** Ends the client's part before the tokens are counted. The rate limit uses the count so far. */
  #detachUncounted({ meter }: Attempt, why: AppError): void {
    const { usage } = meter.partial();
    this.delivery.measured(usage.promptTokens + usage.completionTokens);
    this.delivery.detached(why);
  }

  /**
   * The bill, never above what is held. Input that the request doesn't show, such as what was found on the web, may cost more than the
   * hold: then the rest is held now, and what the balance or a limit doesn't cover isn't charged.
   */
  async #coveredBill(outcome: Outcome): Promise<Bill> {
    const bill = billFor(this, outcome);
    const { charge } = bill.settlement;
    if (charge <= this.reserve.held) return bill;
    const raise = (to: bigint) =>
      this.reserve.raise(nanoUsd(to)).catch((error: unknown) => {
        this.deps.log({ event: 'hold_not_raised', request_id: this.request.requestId, cause: String(error) });
        return false;
      });
    if (await raise(charge)) return bill;
    // Without a known price nobody could hold enough, so as much is charged as the balance covers.
    for (let part = charge / 2n; bill.settlement.price === null && part > this.reserve.held; part /= 2n) {
      if (await raise(part)) break;
    }
    return billFor(this, outcome, true);
  }
}

type Timeouts = Pick<EngineDeps['timeouts']['thinking'], 'firstEventMs' | 'silentMs' | 'totalMs'>;

/** A self-hosted server may need minutes before its first word. */
const isSlow = ({ provider, simulated }: Target['model']): boolean => !simulated && isOwnServer(provider);

const isLarger = (next: Target, than: Target) =>
  (next.model.contextLength ?? 0) > (than.model.contextLength ?? Number.POSITIVE_INFINITY);

/**
 * Whether an answer may be read on without its client: not when the operator forbids it, when the provider can be asked afterwards, or
 * when the model has no price, such as a server of the operator's own that would work for nobody.
 */
const mayReadOn = ({ target, askBill }: Attempt): boolean =>
  target.model.price !== null && !askBill && target.credential.onDisconnect === undefined;

/**
 * Whether an answer has begun and is counted only at its end: when its client disconnects, it is read on for the count
 * (docs/decisions/102).
 */
function countsLate(attempt: Attempt): boolean {
  const { target, meter, fitted } = attempt;
  const { counts } = target.provider;
  return meter.started && mayReadOn(attempt) && (counts === 'last' || (fitted.thinks && counts !== 'along'));
}

/** How many tokens a model may think at the requested effort, when its thinking is not shown. */
function hiddenThinking({ provider }: Target, { thinks, parameters }: Fitted): HiddenThinking {
  if (!thinks || provider.counts === 'along') return nothingHidden;
  const { reasoning_effort: effort = 'medium' } = parameters;
  return effort === 'none'
    ? nothingHidden
    : { tokens: thinkingBudgets[effort], isShown: provider.showsThinking === true };
}

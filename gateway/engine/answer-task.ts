import { toAppError } from '#shared/errors.ts';
import { nanoUsd } from '#shared/money.ts';
import type { Held } from '../ledger/ledger.ts';
import { isModelRefusal } from '../ledger/model-limits.ts';
import type { CatalogueModel } from '../models/catalogue/catalogue.ts';
import { thinkingBudgets } from '../models/catalogue/thinking-budgets.ts';
import type { CallState } from '../providers/changed-request.ts';
import type { AskBill } from '../providers/provider.ts';
import { type Admitted, admit, type Target } from './admit.ts';
import type { AnswerPart, Question } from './answer.ts';
import { UpstreamConsumer } from './answer-listener.ts';
import { attempt, fitQuestion, keepReasoning, mayTryNext, recallReasoning, requestFor } from './attempt.ts';
import { type Bill, billFor, billWarnings, endsUncounted, upstreamCost } from './bill.ts';
import { createMeter } from './billing/meter.ts';
import {
  createReserve,
  knownMaxAnswer,
  type Reserve,
  type ReserveInput,
  reserveInput,
  withAffordableTokens,
} from './billing/reserve.ts';
import { type HiddenThinking, nothingHidden, usageLimits } from './billing/usage-limits.ts';
import type { ReadsOn } from './disconnect.ts';
import type { EngineDeps } from './engine.ts';
import type { Fitted } from './fitting/fit-request.ts';
import { ownKeyError, unknownName } from './own-key-error.ts';
import {
  failure,
  getRouting,
  type Outcome,
  type Run,
  type RunContext,
  recordCut,
  recordFailure,
  recordSuccess,
  type Try,
} from './run.ts';

/**
 * Answers one question from admission to the closed books. Runs as a task of its own: whoever reads the parts may go
 * away at any time without taking the settlement along (wire contract §1.4.6). Rejects where there is no whole answer.
 */
export async function runAnswer(context: RunContext): Promise<void> {
  const { question, deps } = context;
  const startedAt = deps.now();
  let admitted = admit(question, deps);
  const input = reserveInput(question, admitted.features, deps.byokFeeBps);
  const reserve = createReserve(input, deps.ledger);
  let held: Held;
  try {
    held = await hold(question, admitted, reserve, deps);
  } catch (error) {
    ({ admitted, held } = await holdForAnother(error, question, admitted, input, reserve, deps));
  }
  reserve.opened(admitted.targets[0].model, held.amount);
  const run: Run = {
    ...context,
    admitted,
    reserve,
    startedAt,
    held,
    attempts: [],
    signed: [],
    current: null,
    spoken: false,
    firstEventMs: deps.timeouts.firstEventMs,
    wasted: 0n,
  };
  const unlease = deps.leases.keep(() => renew(run));
  const told = await askAll(run).catch((error: unknown) => failure(run, toAppError(error)));
  // Of an answer that is read on only its count matters: it was left, however it ended.
  const left = run.disconnect.readOnAfter;
  const outcome: Outcome = left ? { kind: 'failed', error: left, byClient: false } : told;
  try {
    await settleAnswer(run, outcome);
  } finally {
    unlease();
  }
}

/** Where the model's own limit refuses: holds for the next that may be asked. Throws what refuses all of them. */
async function holdForAnother(
  error: unknown,
  question: Question,
  admitted: Admitted,
  input: ReserveInput,
  reserve: Reserve,
  deps: EngineDeps,
): Promise<{ readonly admitted: Admitted; readonly held: Held }> {
  const [{ model }] = admitted.targets;
  const [next, ...later] = isModelRefusal(error) ? admitted.targets.filter((one) => one.model !== model) : [];
  if (!next) throw withAffordableTokens(error, input, model);
  const others: Admitted = { ...admitted, targets: [next, ...later] };
  try {
    return { admitted: others, held: await hold(question, others, reserve, deps) };
  } catch (again) {
    return holdForAnother(again, question, others, input, reserve, deps);
  }
}

/** Opens the request in the books. From its return on, it must be settled; the disk may still be at work. */
function hold(question: Question, admitted: Admitted, reserve: Reserve, deps: EngineDeps): Held | Promise<Held> {
  const [{ model }] = admitted.targets;
  const { min, max } = reserve.amounts(model);
  return deps.ledger.decide({
    requestId: question.requestId,
    accountId: question.principal.accountId,
    keyId: question.principal.credential.id,
    amount: min,
    preferred: max,
    provider: model.provider,
    model: model.model,
    byok: question.byoKey !== null,
    purpose: question.metadata.purpose ?? null,
    conversationId: question.metadata.conversation_id ?? null,
    user: question.parameters.user ?? null,
    metadata: question.metadata,
  });
}

/**
 * A caller who waits for all of an answer gets it from an upstream that was asked for all of it: nothing is parsed a hundred
 * times. Where credit may end it, it comes in parts instead; and nobody sees it begin, so that it is not for one of several
 * models of which the next is asked where the first does not begin (docs/decisions/043). With the probabilities of other tokens
 * an answer is a hundred times as long: such a one comes in parts.
 */
const wantsWhole = ({ question, admitted, deps, reserve }: Run, { provider, model }: Target) =>
  deps.isNonStreaming &&
  !question.stream &&
  question.openaiOnly.top_logprobs === undefined &&
  admitted.targets.length === 1 &&
  reserve.outputLimit === null &&
  getMax(question, model) <= (provider.wholeAnswerTokens ?? -1) &&
  !deps.disconnectPenalties.has(question.principal.accountId);

/** In tokens. Of a model whose longest answer nobody knows none is asked for in one piece. */
const getMax = ({ maxTokens, principal }: Question, model: CatalogueModel) =>
  knownMaxAnswer({ maxTokens, planMaxOutputTokens: principal.plan.maxOutputTokens }, model) ?? Number.NaN;

function renew({ deps, question }: Run): void {
  deps.ledger.renew(question.requestId).catch((error: unknown) => {
    deps.log({ event: 'lease_renewal_failed', requestId: question.requestId, cause: String(error) });
  });
}

/** Tries the targets in order until one answers; after the first word there is no other (§1.4.3, §5.3.6). */
async function askAll(run: Run): Promise<Outcome> {
  let left: readonly Target[] = run.admitted.targets;
  for (;;) {
    const [target, ...rest] = left;
    if (!target) throw new Error('there was no model left to ask');
    try {
      return await askOne(run, target, rest.length === 0);
    } catch (thrown) {
      const error = toAppError(thrown);
      recordFailure(run, error);
      left = error.code === 'context_length_exceeded' ? rest.filter((next) => isLarger(next, target)) : rest;
      const giveUp =
        run.spoken ||
        run.signal.aborted ||
        run.disconnect.readOnAfter !== null ||
        timeToBegin(run) < minTimeMs ||
        !mayTryNext(error, run.question.byoKey !== null) ||
        !(await affordable(run, left));
      if (giveUp) throw unknownName(target, error) ?? (run.question.byoKey ? ownKeyError(error) : error);
      if (run.current?.meter.started) run.wasted += upstreamCost(run.current, run.current.meter.partial());
    }
  }
}

const isLarger = (next: Target, than: Target) =>
  (next.model.contextLength ?? 0) > (than.model.contextLength ?? Number.POSITIVE_INFINITY);

/** Sets enough aside for the next target. */
async function affordable(run: Run, [next]: readonly Target[]): Promise<boolean> {
  return next ? run.reserve.cover(next.model) : false;
}

async function askOne(run: Run, target: Target, isLast: boolean): Promise<Outcome> {
  const { deps, signal } = run;
  const recalling = recallReasoning(run, target);
  const current = begin(run, target, recalling && (await recalling));
  const { whole } = current;
  const { silentMs } = current.fitted.thinks ? deps.timeouts.thinking : deps.timeouts;
  const firstEventMs = firstEventLimit(run, current, isLast);
  const request = requestFor(run, target, current);
  const listener = new UpstreamConsumer(run, current);
  let release: (() => void) | null = null;
  const readsOn: ReadsOn = (why, stop) => {
    // A simulated model computes nothing unseen.
    if (target.model.simulated) return 'no';
    const { accountId } = run.question.principal;
    if (current.whole) {
      const isForgiven = deps.disconnectPenalties.forgives(accountId);
      return isForgiven || run.question.byoKey || !mayReadOn(current) ? 'no' : 'to_its_end';
    }
    if (!countsLate(current)) return 'no';
    release = deps.readingOn.begin(accountId, stop);
    if (!release) return 'no';
    const { usage } = current.meter.partial();
    run.measured(usage.promptTokens + usage.completionTokens);
    run.left(why);
    return 'detached';
  };
  run.disconnect.asks(target.model.provider, whole, readsOn);
  const answersInParts = () => {
    current.whole = false;
    run.disconnect.asks(target.model.provider, false, readsOn);
  };
  const offersCost = (ask: AskBill) => {
    current.askBill = ask;
  };
  const context = { signal, firstEventMs, silentMs, whole, fetch: deps.fetch, answersInParts, offersCost };
  try {
    await attempt(target, request, context, (events) => listener.take(events));
  } catch (error) {
    if (!listener.isCut) throw error;
    await listener.speak();
    recordCut(run, current);
    return { kind: 'out_of_credit' };
  } finally {
    (release as (() => void) | null)?.();
  }
  await listener.speak();
  recordSuccess(run, current);
  const { reason = 'stop', served = null } = listener.finish ?? {};
  if (reason === 'length' && isLimitedByCredit(run, current)) return { kind: 'out_of_credit' };
  return { kind: 'finished', reason, served };
}

/**
 * Not where the operator says otherwise, where the provider can be asked afterwards, or where it has no price, such as a server of
 * one's own that would work for nobody.
 */
const mayReadOn = ({ target, askBill }: Try): boolean =>
  target.model.price !== null && !askBill && target.credential.onDisconnect === undefined;

/** An answer that has begun and is counted only at its end: whoever leaves it, it is read on for that (docs/decisions/102). */
const countsLate = (current: Try): boolean => {
  const { target, meter, fitted } = current;
  return (
    meter.started &&
    mayReadOn(current) &&
    (target.provider.counts === 'last' || (fitted.thinks && target.provider.counts !== 'along'))
  );
};

/** The model was asked for a shorter answer than it gives, because no longer one is covered. */
const isLimitedByCredit = ({ reserve }: Run, { fitted }: Try) =>
  reserve.outputLimit !== null && fitted.maxTokens === reserve.outputLimit;

function begin(run: Run, target: Target, recalled: CallState | null): Try {
  const { deps, question, admitted } = run;
  if (!question.byoKey) deps.health.begin(target.model.id, question.principal.accountId);
  const fitted = fitQuestion(question, target, recalled, run.reserve.outputLimit);
  const limits = usageLimits(
    question,
    target.model,
    run.reserve,
    hiddenThinking(target, fitted),
    fitted.maxTokens ?? 0,
  );
  const current: Try = {
    target,
    limits,
    fitted,
    meter: createMeter(
      admitted.features.inputTokens,
      limits,
      deps.cachedShares.recall(admitted.conversation, target.model.id),
    ),
    startedAt: deps.now(),
    recalled,
    whole: wantsWhole(run, target),
    firstTokenAt: null,
    askBill: null,
  };
  run.current = current;
  if (fitted.thinks) allowThinking(run);
  return current;
}

function allowThinking(run: Run): void {
  const { firstEventMs, totalMs } = run.deps.timeouts.thinking;
  run.firstEventMs = Math.max(run.firstEventMs, firstEventMs);
  run.clock.allow(totalMs);
}

/**
 * 30 s for each attempt and what is left of 120 s for the last one (§5.3.6). A model that thinks has all that is left: nobody else is
 * asked while it may still be at work, and paid for.
 */
function firstEventLimit(run: Run, { fitted }: Try, isLast: boolean): number {
  const left = Math.max(minTimeMs, timeToBegin(run));
  return isLast || fitted.thinks ? left : Math.min(run.deps.timeouts.attemptMs, left);
}

/** Milliseconds that are left for an upstream's first event; with less than the least nobody is asked who could only be late. */
const timeToBegin = ({ deps, startedAt, firstEventMs }: Run) => startedAt + firstEventMs - deps.now();
const minTimeMs = 10;

/** How much a model may think by the effort that it is asked for, where nobody sees it do so. */
function hiddenThinking({ provider }: Target, { thinks, parameters }: Fitted): HiddenThinking {
  if (!thinks || provider.counts === 'along') return nothingHidden;
  const { reasoning_effort: effort = 'medium' } = parameters;
  return effort === 'none'
    ? nothingHidden
    : { tokens: thinkingBudgets[effort], isShown: provider.showsThinking === true };
}

/** The hold waits as long as the provider may take to say it. Who has left does not; who has not lacks only the answer’s end. */
async function learnBill(run: Run, outcome: Outcome): Promise<void> {
  const { current, deps, question } = run;
  if (!current?.askBill) return;
  if (outcome.kind === 'failed') {
    const { usage } = current.meter.partial();
    run.measured(usage.promptTokens + usage.completionTokens);
    run.left(outcome.error);
  }
  const told = await deps.trueBills.learn(question.requestId, current.askBill);
  if (told) current.meter.settle(told);
}

function rememberCached({ current, admitted, deps }: Run, { metered }: Bill): void {
  if (!current?.meter.countedWhole || metered.unbelieved) return;
  deps.cachedShares.remember(admitted.conversation, current.target.model.id, metered.usage);
}

/**
 * The bill, never above what is set aside. Input that the request doesn't show, such as what was found on the web, may come to
 * more than that: then the rest is set aside now, and where the balance or a limit doesn't cover it, it isn't charged.
 */
async function coveredBill(run: Run, outcome: Outcome): Promise<Bill> {
  const bill = billFor(run, outcome);
  const { charge } = bill.settlement;
  if (charge <= run.reserve.held) return bill;
  const raise = (to: bigint) =>
    run.reserve.raise(nanoUsd(to)).catch((error: unknown) => {
      run.deps.log({ event: 'hold_not_raised', request_id: run.question.requestId, cause: String(error) });
      return false;
    });
  if (await raise(charge)) return bill;
  // Of a cost that nobody could know before, as much is charged as is left.
  for (let part = charge / 2n; bill.settlement.price === null && part > run.reserve.held; part /= 2n) {
    if (await raise(part)) break;
  }
  return billFor(run, outcome, true);
}

/** Settles, and then tells how it ended: the finish carries what the books say. */
async function settleAnswer(run: Run, outcome: Outcome): Promise<void> {
  const { deps, question } = run;
  if (endsUncounted(run, outcome)) await learnBill(run, outcome);
  const bill = await coveredBill(run, outcome);
  rememberCached(run, bill);
  if (bill.unbelieved)
    deps.log({ ...bill.unbelieved, event: 'usage_clamped', level: 'warn', request_id: question.requestId });
  run.measured(bill.metered.usage.promptTokens + bill.metered.usage.completionTokens);
  if (outcome.kind === 'failed') {
    await deps.ledger.settle(bill.settlement).catch((error: unknown) => {
      deps.log({ event: 'settlement_failed', requestId: question.requestId, cause: String(error) });
    });
    throw outcome.error;
  }
  if (!run.current) throw new Error('an answer has no author');
  const keeping = keepReasoning(run, run.current.target);
  const { charged } = await deps.ledger.settle(bill.settlement);
  if (keeping !== undefined) await keeping;
  const finish: AnswerPart = {
    type: 'finish',
    reason: outcome.kind === 'finished' ? outcome.reason : 'length',
    ...(outcome.kind === 'finished' && outcome.served ? { served: outcome.served } : {}),
    usage: bill.metered.usage,
    cost: charged,
    upstreamCost: bill.settlement.upstreamCost,
    estimated: bill.settlement.estimated,
    byok: question.byoKey !== null,
    // Of a model that was named there is nothing more to tell.
    routing: (run.admitted.decision.kind === 'direct' && bill.routing) || getRouting(run, run.current),
    warnings: [
      ...question.warnings,
      ...run.admitted.warnings,
      ...run.current.fitted.warnings,
      ...billWarnings(outcome, bill),
    ],
  };
  await run.emit([finish]);
}

import { nanoUsd } from '#shared/money.ts';
import type { AnswerPart } from './answer.ts';
import { keepReasoning } from './attempt.ts';
import { type Bill, billFor, billWarnings, endsUncounted } from './bill.ts';
import { getRouting, type Outcome, type Run } from './run.ts';

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
export async function settleAnswer(run: Run, outcome: Outcome): Promise<void> {
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

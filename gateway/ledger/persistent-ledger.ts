import { setTimeout as delay } from 'node:timers/promises';
import { databaseFault, isConnectionLoss } from '../db/connection-loss.ts';
import { JournalFault } from '../db/journal-fault.ts';
import type { Held, Ledger } from './ledger.ts';

/** A caller waits for the hold and for what extends it; nobody waits for the settlement, which is worth more patience. */
const patience = { holdMs: 5_000, settleMs: 60_000 } as const;
const firstPauseMs = 50;
const longestPauseMs = 1_000;

/**
 * A ledger that goes on where its database was away for a moment. A lost connection leaves open whether the step was
 * committed: every step is asked again, because repeating it changes nothing.
 */
export function createPersistentLedger(
  ledger: Ledger,
  now: () => number,
  log: (entry: Readonly<Record<string, unknown>>) => void,
): Ledger {
  async function persist<T>(step: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
    const giveUpAt = now() + patienceMs;
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
      try {
        return await work();
      } catch (error) {
        const passes = isConnectionLoss(error) || (error instanceof JournalFault && step === 'settle');
        if (!passes || now() + pause > giveUpAt) throw databaseFault(error);
        log({ event: 'ledger_step_repeated', step, cause: String(error) });
        await delay(pause);
      }
    }
  }

  return {
    decide(request) {
      const held = ledger.decide(request);
      if (!(held instanceof Promise)) return held;
      let first: Promise<Held> | null = held;
      return persist('hold', patience.holdMs, async () => {
        const attempt = first ?? ledger.decide(request);
        first = null;
        return attempt;
      });
    },
    extend: (requestId, to) => persist('extend', patience.holdMs, () => ledger.extend(requestId, to)),
    renew: (requestId) => persist('renew', patience.holdMs, () => ledger.renew(requestId)),
    settle: (settlement) => persist('settle', patience.settleMs, () => ledger.settle(settlement)),
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { databaseFault, isConnectionLoss } from '../storage/connection-loss.ts';
import { WriteAheadLogFault } from '../storage/write-ahead-log-fault.ts';
import type { Ledger } from './ledger.ts';

/** A caller waits for the hold and for what extends it; nobody waits for the settlement, which is worth more patience. */
const patience = { holdMs: 5_000, settleMs: 60_000 } as const;
const firstPauseMs = 50;
const maxPauseMs = 1_000;

/**
 * A ledger that goes on where its database was away for a moment. A lost connection leaves open whether the step was
 * committed: every step is asked again, because repeating it changes nothing.
 */
export function createPersistentLedger(
  ledger: Ledger,
  now: () => number,
  log: (entry: Readonly<Record<string, unknown>>) => void,
): Ledger {
  function persist<T>(command: string, patienceMs: number, asked: Promise<T>, ask: () => Promise<T>): Promise<T> {
    const giveUpAt = now() + patienceMs;
    const again = async (error: unknown, pause: number): Promise<T> => {
      const passes = isConnectionLoss(error) || (error instanceof WriteAheadLogFault && command === 'settle');
      if (!passes || now() + pause > giveUpAt) throw databaseFault(error);
      log({ event: 'ledger_command_repeated', command, cause: String(error) });
      await delay(pause);
      return ask().catch((next: unknown) => again(next, Math.min(pause * 2, maxPauseMs)));
    };
    return asked.catch((error: unknown) => again(error, firstPauseMs));
  }

  /** `ask` must not throw. */
  const persistently = <T>(command: string, patienceMs: number, ask: () => Promise<T>): Promise<T> =>
    persist(command, patienceMs, ask(), ask);

  return {
    decide(request) {
      const held = ledger.decide(request);
      if (!(held instanceof Promise)) return held;
      return persist('hold', patience.holdMs, held, async () => ledger.decide(request));
    },
    extend: (requestId, to, model) =>
      persistently('extend', patience.holdMs, () => ledger.extend(requestId, to, model)),
    renew: (requestId) => persistently('renew', patience.holdMs, () => ledger.renew(requestId)),
    settle: (settlement) => persistently('settle', patience.settleMs, () => ledger.settle(settlement)),
  };
}

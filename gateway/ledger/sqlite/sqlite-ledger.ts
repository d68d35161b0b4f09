import type { NanoUsd } from '#shared/money.ts';
import { getPlan as shippedPlan } from '../../access/auth/plans.ts';
import type { DecisionContext, LedgerCommand } from '../decide-commands.ts';
import type { Held } from '../ledger.ts';
import type { LedgerDeps } from '../ledger-store.ts';
import type { InterruptingLedger } from '../sweeper.ts';
import { getWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts';

/** The ledger of the one process that owns a SQLite file: each step is decided at once, in memory, and written into the journal. */
export function createSqliteLedger({
  db,
  now,
  steadyNow = now,
  instanceId,
  leaseMs,
  getPlan = shippedPlan,
  log = () => {},
}: LedgerDeps & { leaseMs: number }): InterruptingLedger {
  const journal = getWriteAheadLog(db, log);

  /** Throws what refuses the step. */
  function take<T>(command: LedgerCommand): T {
    const context: DecisionContext = { now: now(), leaseUntil: steadyNow() + leaseMs, instanceId, getPlan };
    const result = journal.take(command, context);
    if ('error' in result) throw result.error;
    return result.value as T;
  }

  /** While somebody's transaction is open its rows are not to be relied on. */
  function whenFree<T>(work: () => T): T | Promise<T> {
    return journal.isBusy ? journal.whenFree().then(() => whenFree(work)) : work();
  }

  /** Resolves with what came of a step once that is durable. */
  const takeDurably = <T>(command: LedgerCommand): Promise<T> =>
    new Promise((resolve, reject) => {
      const work = () => {
        const value = take<T>(command);
        journal.whenDurable((fault) => (fault ? reject(fault) : resolve(value)));
      };
      if (journal.isBusy)
        journal
          .whenFree()
          .then(() => whenFree(work))
          .catch(reject);
      else work();
    });

  return {
    decide: (request) => whenFree(() => new WriteAheadLogHeld(take<NanoUsd>({ do: 'hold', request }), journal)),
    extend: async (requestId, to, model) => whenFree(() => take<boolean>({ do: 'extend', requestId, to, model })),
    renew: async (requestId) => whenFree(() => take<void>({ do: 'renew', requestId })),
    settle: (settlement) => takeDurably({ do: 'settle', settlement }),
    interrupt: (settlement, leaseUntil) => takeDurably({ do: 'interrupt', settlement, leaseUntil }),
  };
}

class WriteAheadLogHeld implements Held {
  readonly amount: NanoUsd;
  readonly #journal: WriteAheadLog;

  constructor(amount: NanoUsd, journal: WriteAheadLog) {
    this.amount = amount;
    this.#journal = journal;
  }

  get durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#journal.whenDurable((fault) => (fault ? reject(fault) : resolve()));
    });
  }
}

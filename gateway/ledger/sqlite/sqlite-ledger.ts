import type { NanoUsd } from '#shared/money.ts';
import { getPlan as shippedPlan } from '../../access/auth/plans.ts';
import type { DecisionContext, Step } from '../decide-steps.ts';
import type { Held } from '../ledger.ts';
import type { LedgerDeps } from '../ledger-store.ts';
import type { InterruptingLedger } from '../sweeper.ts';
import { getJournal, type SqliteJournal } from './sqlite-journal.ts';

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
  const journal = getJournal(db, log);

  /** Throws what refuses the step. */
  function take<T>(step: Step): T {
    const context: DecisionContext = { now: now(), leaseUntil: steadyNow() + leaseMs, instanceId, getPlan };
    const result = journal.take(step, context);
    if ('error' in result) throw result.error;
    return result.value as T;
  }

  /** While somebody's transaction is open its rows are not to be relied on. */
  function whenFree<T>(work: () => T): T | Promise<T> {
    return journal.isBusy ? journal.whenFree().then(() => whenFree(work)) : work();
  }

  /** Resolves with what came of a step once that is durable. */
  const takeDurably = <T>(step: Step): Promise<T> =>
    new Promise((resolve, reject) => {
      const work = () => {
        const value = take<T>(step);
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
    decide: (request) => whenFree(() => new JournalHeld(take<NanoUsd>({ do: 'hold', request }), journal)),
    extend: async (requestId, to, model) => whenFree(() => take<boolean>({ do: 'extend', requestId, to, model })),
    renew: async (requestId) => whenFree(() => take<void>({ do: 'renew', requestId })),
    settle: (settlement) => takeDurably({ do: 'settle', settlement }),
    interrupt: (settlement, leaseUntil) => takeDurably({ do: 'interrupt', settlement, leaseUntil }),
  };
}

class JournalHeld implements Held {
  readonly amount: NanoUsd;
  readonly #journal: SqliteJournal;

  constructor(amount: NanoUsd, journal: SqliteJournal) {
    this.amount = amount;
    this.#journal = journal;
  }

  get durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#journal.whenDurable((fault) => (fault ? reject(fault) : resolve()));
    });
  }
}

import type { NanoUsd } from '#shared/money.ts';
import { type PlanOf, getPlan as shippedPlan } from '../access/auth/plans.ts';
import { dialectOfDb, type GatewayDb } from '../storage/open-database.ts';
import type { DecisionContext, LedgerCommand } from './decide-commands.ts';
import type { Held } from './ledger.ts';
import { createPostgresLedger } from './postgres/postgres-ledger.ts';
import { getWriteAheadLog, type WriteAheadLog } from './sqlite/write-ahead-log.ts';
import type { InterruptingLedger } from './sweeper.ts';

/** The ledger of the one process that owns a SQLite file: each step is decided at once, in memory, and written into the journal. */
function createSqliteLedger({
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

/** How long a running request is believed without a sign of life. */
export const leaseMs = 60_000;
/** How often the engine gives that sign. */
export const renewEveryMs = 15_000;

export interface LedgerDeps {
  readonly db: GatewayDb;
  readonly now: () => number;
  /** What leases are counted by: a clock that nobody can set. Absent: `now` is one. */
  readonly steadyNow?: () => number;
  /** Names this process in the books. */
  readonly instanceId: string;
  /** Plans by their ids; those that ship unless others are defined. */
  readonly getPlan?: PlanOf;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
}

/** The ledger over its database: the rules are the same (`decide-commands.ts`), only how rows are read and written differs. */
export const createLedger = (deps: LedgerDeps): InterruptingLedger =>
  dialectOfDb(deps.db) === 'sqlite'
    ? createSqliteLedger({ ...deps, leaseMs })
    : createPostgresLedger({ ...deps, leaseMs });

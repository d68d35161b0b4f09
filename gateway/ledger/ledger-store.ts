import type { NanoUsd } from '#shared/money.ts';
import { type PlanOf, getPlan as shippedPlan } from '../access/auth/plans.ts';
import { dialectOfDb, type GatewayDb } from '../storage/open-database.ts';
import type { DecisionContext, LedgerCommand } from './decide-commands.ts';
import type { Held } from './ledger.ts';
import { createPostgresLedger } from './postgres/postgres-ledger.ts';
import { getWriteAheadLog, type WriteAheadLog } from './sqlite/write-ahead-log.ts';
import type { InterruptingLedger } from './sweeper.ts';

/**
 * The ledger of the one process that owns a SQLite file. It decides each command in memory at once and appends the event to the
 * write-ahead log.
 */
function createSqliteLedger({
  db,
  now,
  steadyNow = now,
  instanceId,
  leaseMs,
  getPlan = shippedPlan,
  log = () => {},
}: LedgerDeps & { leaseMs: number }): InterruptingLedger {
  const writeAheadLog = getWriteAheadLog(db, log);

  /** Runs a command and throws the error that it was refused with. */
  function take<T>(command: LedgerCommand): T {
    const context: DecisionContext = { now: now(), leaseUntil: steadyNow() + leaseMs, instanceId, getPlan };
    const result = writeAheadLog.take(command, context);
    if ('error' in result) throw result.error;
    return result.value as T;
  }

  /** While somebody else's transaction is open, rows may still change under it, so the ledger waits. */
  function whenFree<T>(work: () => T): T | Promise<T> {
    return writeAheadLog.isBusy ? writeAheadLog.whenFree().then(() => whenFree(work)) : work();
  }

  /** Resolves with the result of a command once its event is durable. */
  const takeDurably = <T>(command: LedgerCommand): Promise<T> =>
    new Promise((resolve, reject) => {
      const work = () => {
        const value = take<T>(command);
        writeAheadLog.whenDurable((fault) => (fault ? reject(fault) : resolve(value)));
      };
      if (writeAheadLog.isBusy)
        writeAheadLog
          .whenFree()
          .then(() => whenFree(work))
          .catch(reject);
      else work();
    });

  return {
    decide: (request) => whenFree(() => new LoggedHold(take<NanoUsd>({ do: 'hold', request }), writeAheadLog)),
    extend: async (requestId, to, model) => whenFree(() => take<boolean>({ do: 'extend', requestId, to, model })),
    renew: async (requestId) => whenFree(() => take<void>({ do: 'renew', requestId })),
    settle: (settlement) => takeDurably({ do: 'settle', settlement }),
    interrupt: (settlement, leaseUntil) => takeDurably({ do: 'interrupt', settlement, leaseUntil }),
  };
}

class LoggedHold implements Held {
  readonly amount: NanoUsd;
  readonly #writeAheadLog: WriteAheadLog;

  constructor(amount: NanoUsd, writeAheadLog: WriteAheadLog) {
    this.amount = amount;
    this.#writeAheadLog = writeAheadLog;
  }

  get durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#writeAheadLog.whenDurable((fault) => (fault ? reject(fault) : resolve()));
    });
  }
}

/** How long a running request counts as alive without a renewal. */
export const leaseMs = 60_000;
/** How often the engine renews the lease. */
export const renewEveryMs = 15_000;

export interface LedgerDeps {
  readonly db: GatewayDb;
  readonly now: () => number;
  /** The clock for leases, which nobody can set back. Defaults to `now`. */
  readonly steadyNow?: () => number;
  /** The name of this process in the ledger. */
  readonly instanceId: string;
  /** Looks up a plan by its id. Defaults to the plans that ship with the gateway. */
  readonly getPlan?: PlanOf;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * Creates the ledger for either database. The rules are the same (`decide-commands.ts`); only reading and writing rows differs.
 */
export const createLedger = (deps: LedgerDeps): InterruptingLedger =>
  dialectOfDb(deps.db) === 'sqlite'
    ? createSqliteLedger({ ...deps, leaseMs })
    : createPostgresLedger({ ...deps, leaseMs });

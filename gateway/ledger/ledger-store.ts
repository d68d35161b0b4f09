import type { PlanOf } from '../access/auth/plans.ts';
import { dialectOfDb, type GatewayDb } from '../storage/open-database.ts';
import { createPostgresLedger } from './postgres/postgres-ledger.ts';
import { createSqliteLedger } from './sqlite/sqlite-ledger.ts';
import type { InterruptingLedger } from './sweeper.ts';

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

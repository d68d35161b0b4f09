import { claimKeySecret } from '../access/auth/key-secret.ts';
import { pepperBeside, peppersFromEnvironment } from '../access/auth/pepper.ts';
import { tokenNamesFrom } from '../access/auth/token-names.ts';
import { createLedger } from '../ledger/ledger-store.ts';
import { sweepEarlierInstances, sweepExpired } from '../ledger/sweeper.ts';
import { createLivePlans } from '../operations/configuration/live-plans.ts';
import { openDatabaseClock } from '../storage/database-clock.ts';
import { newId } from '../storage/id.ts';
import { type OpenDatabase, openDatabase } from '../storage/open-database.ts';
import { createTransact } from '../storage/transact.ts';

export type Log = (entry: Readonly<Record<string, unknown>>) => void;

export interface FoundationOptions {
  /** A SQLite file's path (or `:memory:`), or `postgres://…`. */
  readonly database: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Opens the database with its clock and its secrets, and the ledger without the open requests of earlier runs. */
export async function openFoundation(options: FoundationOptions, log: Log) {
  const given = peppersFromEnvironment(options.database, options.env ?? {});
  const tokenNames = tokenNamesFrom(options.env ?? {});
  const gatewayDb = await openDatabase(options.database, log);
  try {
    return { ...(await foundationOn(gatewayDb, options, given, log)), tokenNames };
  } catch (error) {
    await gatewayDb.db.destroy();
    throw error;
  }
}

async function foundationOn(
  gatewayDb: OpenDatabase,
  options: FoundationOptions,
  given: ReturnType<typeof peppersFromEnvironment>,
  log: Log,
) {
  const { db } = gatewayDb;
  const clock = gatewayDb.dialect === 'postgres' ? await openDatabaseClock(db) : null;
  const now = options.now ?? clock?.now ?? Date.now;
  const steadyNow = options.now ?? clock?.now ?? steadyClock();
  const peppers = given ?? (await pepperBeside(options.database, db));
  const instanceId = newId('inst', now());
  // On SQLite this replays the write-ahead log of an earlier run, before anything is read.
  const plans = await createLivePlans(db);
  const transact = createTransact(gatewayDb);
  await claimKeySecret({ db, peppers, now, transact });
  const ledger = createLedger({ db, now, steadyNow, instanceId, log, getPlan: plans.getPlan });
  const sweeping = { db, ledger, now: steadyNow, instanceId };
  // A SQLite file is served by one process, so every request still open in it was left by an earlier run.
  const isAlone = gatewayDb.dialect === 'sqlite';
  if (isAlone) await sweepEarlierInstances(sweeping);
  else await sweepExpired(sweeping);
  return {
    gatewayDb,
    db,
    clock,
    now,
    peppers,
    transact,
    instanceId,
    plans,
    ledger,
    sweeping,
    isAlone,
    log,
  };
}

/**
 * Milliseconds since the epoch: the system's time when this process began, counted on by the monotonic clock. Somebody may set the clock,
 * or a computer may wake, while answers are being written.
 */
function steadyClock(): () => number {
  const offset = Date.now() - performance.now();
  return () => Math.floor(performance.now() + offset);
}

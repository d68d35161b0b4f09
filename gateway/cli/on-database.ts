import { existsSync } from 'node:fs';
import { AppError } from '#shared/errors.ts';
import { pepperBeside, peppersFromEnvironment } from '../access/auth/pepper.ts';
import { tokenNamesFrom } from '../access/auth/token-names.ts';
import { awaitEarlierEvents } from '../ledger/sqlite/unflushed-events.ts';
import type { Administrator } from '../operations/operator/operator.ts';
import { createOperator } from '../operations/operator/operator-store.ts';
import { openDatabaseClock } from '../storage/database-clock.ts';
import { getDialect, type OpenDatabase, openDatabase } from '../storage/open-database.ts';
import { createTransact } from '../storage/transact.ts';

export interface OpenOperator {
  readonly operator: Administrator;
  close(): Promise<void>;
}

/** Opens the database for operator commands. A gateway may serve it at the same time. */
export async function openOperator(options: {
  readonly database: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** Whether a missing SQLite file may be created. Otherwise it's an error, because its path is probably mistyped. */
  readonly mayCreate: boolean;
}): Promise<OpenOperator> {
  const { database, env } = options;
  if (!options.mayCreate && getDialect(database) === 'sqlite' && !existsSync(database)) {
    throw new AppError(
      'not_found',
      `There is no database "${database}". Name it with --db, or create an account first.`,
    );
  }
  const given = peppersFromEnvironment(database, env);
  const tokenNames = tokenNamesFrom(env);
  const gatewayDb = await openDatabase(database);
  await awaitEarlierEvents(gatewayDb.db).catch(closing(gatewayDb));
  const now = gatewayDb.dialect === 'postgres' ? (await openDatabaseClock(gatewayDb.db)).now : options.now;
  const peppers = given ?? (await pepperBeside(database, gatewayDb.db).catch(closing(gatewayDb)));
  const transact = createTransact(gatewayDb);
  return {
    operator: createOperator({ db: gatewayDb.db, transact, peppers, now, credentialsChanged: () => {}, tokenNames }),
    close: () => gatewayDb.db.destroy(),
  };
}

/** Closes the database when something after its opening fails. */
const closing =
  ({ db }: OpenDatabase) =>
  async (error: unknown): Promise<never> => {
    await db.destroy();
    throw error;
  };

/** Opens the database for one piece of work. Throws `not_found` when there is none and it may not be created. */
export async function onDatabase<T>(
  database: string,
  mayCreate: boolean,
  use: (operator: Administrator) => Promise<T>,
): Promise<T> {
  const { operator, close } = await openOperator({ database, env: process.env, now: Date.now, mayCreate });
  try {
    return await use(operator);
  } finally {
    await close();
  }
}

/** Opens the database for a reader that can do without it. Returns null when the file doesn't exist. */
export const onDatabaseIfAny = async <T>(
  database: string,
  read: (operator: Administrator) => Promise<T>,
): Promise<T | null> =>
  getDialect(database) === 'sqlite' && !existsSync(database) ? null : onDatabase(database, false, read);

import { existsSync } from 'node:fs';
import { openOperator } from '../operations/operator/open-operator.ts';
import type { Administrator } from '../operations/operator/operator.ts';
import { getDialect } from '../storage/open-database.ts';

/** Opens the books for one piece of work. Throws `not_found` where there are none and none may be made. */
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

/** The same for a reader that can do without: null where there is no such file. */
export const onDatabaseIfAny = async <T>(
  database: string,
  read: (operator: Administrator) => Promise<T>,
): Promise<T | null> =>
  getDialect(database) === 'sqlite' && !existsSync(database) ? null : onDatabase(database, false, read);

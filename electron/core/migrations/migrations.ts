import type { Migration } from 'kysely/migration';
import { firstTables } from './001-first-tables.ts';
import { tools } from './006-tools.ts';

/** In the order of their names. A released one is never changed. */
export const migrations: Record<string, Migration> = {
  '001-first-tables': firstTables,
  '006-tools': tools,
};

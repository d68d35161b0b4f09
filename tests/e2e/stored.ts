import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** What the core's database has, read beside it. */
export function stored<Row>(dataFolder: string, sql: string): Row[] {
  const db = new Sqlite(join(dataFolder, 'portico.db'), { readonly: true });
  try {
    return db.prepare(sql).all() as Row[];
  } finally {
    db.close();
  }
}

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

/** A setting as the core keeps it, changed while the app is closed. */
export function keep(dataFolder: string, name: string, change: object): void {
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  const row = db.prepare('select value from settings where name = ?').get(name) as { value: string } | undefined;
  const value = JSON.stringify({ ...JSON.parse(row?.value ?? '{}'), ...change });
  db.prepare(
    'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  ).run(name, value);
  db.close();
}

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { startWebProcess } from '../support/web-process.ts';

const webHost = fileURLToPath(new URL('../../dist/main/web.js', import.meta.url));

/** Makes the data folder of a host that has started once but whose page nobody has opened. */
export async function startedOnce(folder: string): Promise<string> {
  const dataFolder = join(folder, 'data');
  const host = await startWebProcess(webHost, ['--data-dir', dataFolder]);
  await host.kill('SIGTERM');
  return dataFolder;
}

/** Reads the core's database directly, next to the running core. */
export function stored<Row>(dataFolder: string, sql: string): Row[] {
  const db = new Sqlite(join(dataFolder, 'portico.db'), { readonly: true });
  try {
    return db.prepare(sql).all() as Row[];
  } finally {
    db.close();
  }
}

/** Changes a stored setting of the core while the app is closed. */
export function keep(dataFolder: string, name: string, change: object): void {
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  const row = db.prepare('select value from settings where name = ?').get(name) as { value: string } | undefined;
  const value = JSON.stringify({ ...JSON.parse(row?.value ?? '{}'), ...change });
  db.prepare(
    'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  ).run(name, value);
  db.close();
}

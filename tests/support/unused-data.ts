import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDb } from '#core/storage/database/db.ts';
import { openDatabase } from '#gateway/storage/open-database.ts';

/**
 * Empty databases with the current schema. Running all migrations takes longer than most tests, so
 * they are made once and copied.
 */
const unused = new Map<string, Promise<Buffer>>();
const open = {
  'portico.db': openDb,
  'gateway.db': async (path: string) => (await openDatabase(path)).db,
};

/** Makes a data folder as an app leaves it that was opened once and never used. */
export async function unusedDataFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-core-'));
  for (const [name, openIt] of Object.entries(open)) {
    const made = unused.get(name) ?? make(openIt);
    unused.set(name, made);
    writeFileSync(join(folder, name), await made);
  }
  return folder;
}

async function make(openIt: (path: string) => Promise<{ destroy(): Promise<void> }>): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-unused-'));
  const path = join(folder, 'empty.db');
  await (await openIt(path)).destroy();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { nameAt } from '../../electron/core/backup/backup-files.ts';

/** Makes a backup of a closed app's chats, then damages their database so that it can't be opened. */
export async function damageDatabase(dataFolder: string): Promise<void> {
  const file = join(dataFolder, 'portico.db');
  const backups = join(dataFolder, 'backups');
  mkdirSync(backups, { recursive: true });
  const database = new Sqlite(file);
  await database.backup(join(backups, nameAt('auto', Date.now())));
  database.close();
  for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true });
  writeFileSync(file, 'This was a database once. '.repeat(400));
}

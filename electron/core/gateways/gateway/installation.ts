import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '#shared/json/foreign-json.ts';

const fileName = 'installation.json';

/**
 * The id of this installation: the app with one data folder on one computer. It lies beside the database, so that no backup
 * brings it elsewhere, and counts only in the very file that it was written to: a copy of the folder is another installation.
 */
export function readInstallation(dataFolder: string, newId: () => string): string {
  const path = join(dataFolder, fileName);
  const stored = readStored(path);
  if (stored !== null) return stored;
  const id = newId();
  try {
    writeFileSync(path, '', { mode: 0o600 });
    writeFileSync(path, JSON.stringify({ id, file: getFileId(path) }));
  } catch {
    // A folder that can't be written to has an id for this session only: its requests are another installation’s next time.
  }
  return id;
}

const getFileId = (path: string): string => String(statSync(path, { bigint: true }).ino);

function readStored(path: string): string | null {
  try {
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isObject(stored) || typeof stored.id !== 'string' || stored.file !== getFileId(path)) return null;
    return /^[\w-]{1,64}$/.test(stored.id) ? stored.id : null;
  } catch {
    // There is none yet, or it can't be read: a new one is written.
    return null;
  }
}

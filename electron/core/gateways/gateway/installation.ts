import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '#shared/json/foreign-json.ts';

const fileName = 'installation.json';

/**
 * Returns the id of this installation: the app with one data folder on one computer. The file lies next to the
 * database, so no backup contains it. It is valid only in the very file it was written to, so a copied folder becomes
 * another installation.
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
    // A read-only folder gets an id for this session only. After a restart, its requests count as another
    // installation's.
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
    // The file is missing or unreadable, so a new one is written.
    return null;
  }
}

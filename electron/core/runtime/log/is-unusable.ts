import { accessSync, constants, lstatSync, type Stats, statSync } from 'node:fs';

/** Whether what has the name of a file or a folder is something else, or closed to us. A link counts as what it leads to. */
export function isUnusable(path: string, wanted: 'file' | 'folder'): boolean {
  const found = getStats(path);
  if (found === null) return false;
  // A device such as /dev/null takes what is written; a pipe would stop the app until somebody reads it.
  const isRightKind = wanted === 'folder' ? found.isDirectory() : found.isFile() || found.isCharacterDevice();
  return !isRightKind || isClosed(path);
}

/** Null: nothing has the name. A link that leads nowhere is found as a link. */
function getStats(path: string): Stats | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found) return found;
  } catch {
    // A circle of links, for example.
  }
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function isClosed(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

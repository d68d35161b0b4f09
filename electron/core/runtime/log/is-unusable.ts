import { accessSync, constants, lstatSync, type Stats, statSync } from 'node:fs';

/** Whether a path is of the wrong type or isn't accessible. A link counts as its target. */
export function isUnusable(path: string, wanted: 'file' | 'folder'): boolean {
  const found = getStats(path);
  if (found === null) return false;
  // A device such as /dev/null accepts writes. A pipe would block the app until someone reads it.
  const isRightKind = wanted === 'folder' ? found.isDirectory() : found.isFile() || found.isCharacterDevice();
  return !isRightKind || isClosed(path);
}

/** Returns null if the path doesn't exist. A link to nothing is reported as a link. */
function getStats(path: string): Stats | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found) return found;
  } catch {
    // For example, links in a circle.
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

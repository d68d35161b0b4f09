import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const descriptors = '/proc/self/fd';

/**
 * Returns the files in a folder that this process has open, including deleted ones. Works on Linux only. On Windows
 * tests don't need it, because a file that is open there can't be moved or deleted.
 */
export function openFilesIn(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync(descriptors).flatMap((name) => {
    try {
      const file = readlinkSync(join(descriptors, name));
      return file.startsWith(folder) ? [file] : [];
    } catch {
      // This is the descriptor that listed the others; it's closed by now.
      return [];
    }
  });
}

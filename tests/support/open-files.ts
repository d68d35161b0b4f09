import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const descriptors = '/proc/self/fd';

/**
 * The files in a folder that this process has open, removed ones too. None on systems that do not say so; Windows says it by itself,
 * because there nobody can move or remove them.
 */
export function openFilesIn(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync(descriptors).flatMap((name) => {
    try {
      const file = readlinkSync(join(descriptors, name));
      return file.startsWith(folder) ? [file] : [];
    } catch {
      // The one by which they were listed.
      return [];
    }
  });
}

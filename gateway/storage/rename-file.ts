import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

/** What Windows says while a virus scanner or an indexer has one of the two files open, which lasts for moments. */
const heldCodes = new Set(['EPERM', 'EACCES', 'EBUSY']);
const pauseMs = 50;
const waitMs = 5_000;

const isHeld = (error: unknown, platform: NodeJS.Platform): boolean =>
  platform === 'win32' && heldCodes.has(String((error as NodeJS.ErrnoException).code));

/** As `fs.rename`, over a file that is there too; on Windows tried again for five seconds where another program holds a file. */
export async function renameFile(
  from: string,
  to: string,
  { platform = process.platform, move = rename } = {},
): Promise<void> {
  for (let waited = 0; ; waited += pauseMs) {
    try {
      return await move(from, to);
    } catch (error) {
      if (!isHeld(error, platform) || waited >= waitMs) throw error;
    }
    await setTimeout(pauseMs);
  }
}

/** The same where nothing may happen in between; the thread stands meanwhile. */
export function renameFileSync(
  from: string,
  to: string,
  { platform = process.platform, move = renameSync } = {},
): void {
  for (let waited = 0; ; waited += pauseMs) {
    try {
      move(from, to);
      return;
    } catch (error) {
      if (!isHeld(error, platform) || waited >= waitMs) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
}

import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

/** Error codes of Windows while a virus scanner or an indexer has one of the files open, which lasts for moments. */
const heldCodes = new Set(['EPERM', 'EACCES', 'EBUSY']);
const pauseMs = 50;
const waitMs = 5_000;

const isHeld = (error: unknown, platform: NodeJS.Platform): boolean =>
  platform === 'win32' && heldCodes.has(String((error as NodeJS.ErrnoException).code));

/** Like `fs.rename`, also over an existing file. On Windows it retries for five seconds while another program has a file open. */
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

/** The synchronous version, for callers that can't let anything happen in between. It blocks the thread while it waits. */
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

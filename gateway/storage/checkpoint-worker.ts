import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/**
 * A checkpoint waits for the disk twice, and the thread that serves must not. Answers each message with null once all that was
 * committed before it is on the disk, and else with why it is not. It never makes a writer wait (`PASSIVE`).
 */
const { path } = workerData as { readonly path: string };

// On Linux a priority is a thread's own: where both want one core, whoever serves goes first. Elsewhere it is the whole program's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** What was committed while one pass was under way is brought in by the next, which is short: only a log that is wholly in begins anew. */
const maxPasses = 3;

parentPort?.on('message', () => parentPort?.postMessage(checkpointed()));

function checkpointed(): string | null {
  try {
    const database = new Database(path, { fileMustExist: true });
    try {
      for (let passes = 1; ; passes += 1) {
        const [done] = database.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[];
        if (!done || done.log === done.checkpointed) break;
        if (passes < maxPasses) continue;
        // Somebody reads what is older: then the log itself has to keep it.
        syncLog();
        break;
      }
    } finally {
      database.close();
    }
    return null;
  } catch (error) {
    return String(error);
  }
}

function syncLog(): void {
  const log = openSync(`${path}-wal`, 'r+');
  try {
    fdatasyncSync(log);
  } finally {
    closeSync(log);
  }
}

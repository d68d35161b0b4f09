import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/**
 * Runs checkpoints on its own thread, because a checkpoint waits for the disk twice and the serving thread must not. Answers each
 * message with null once everything committed before it is on the disk, or else with the error. Never blocks a writer
 * (`PASSIVE`).
 */
const { path } = workerData as { readonly path: string };

// On Linux each thread has its own priority: when both need the same core, the serving thread goes first. On other systems the
// priority would apply to the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/**
 * Commits made during one pass are copied by the next, which is short. SQLite restarts its log only when all of it was copied.
 */
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
        // Somebody is reading an older version, so the rest stays in the log, and the log itself must be synced.
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

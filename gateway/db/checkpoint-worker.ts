import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/**
 * A checkpoint waits for the disk twice, and the thread that serves must not. Answers each message with null once all that was
 * committed before it is on the disk, and else with why it is not. It never makes a writer wait (`PASSIVE`).
 */
const { path } = workerData as { readonly path: string };

parentPort?.on('message', () => parentPort?.postMessage(checkpointed()));

function checkpointed(): string | null {
  try {
    const database = new Database(path, { fileMustExist: true });
    try {
      const [done] = database.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[];
      // Somebody reads what is older: then the log itself has to keep it.
      if (done && done.log !== done.checkpointed) syncLog();
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

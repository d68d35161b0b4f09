import { closeSync, fdatasync, fdatasyncSync, openSync, realpathSync } from 'node:fs';

/**
 * Makes SQLite's commits survive power loss. In WAL mode with `synchronous=NORMAL` a commit is written to the log but not yet
 * synced; `FULL` only adds a sync of the log after each commit (https://www.sqlite.org/pragma.html#pragma_synchronous). Syncing
 * here instead lets the process work on while the disk is busy.
 */
export interface DurableLog {
  /** With true, the next commit isn't synced at once: its caller will use `sync`. Applies to one commit. */
  defer(next: boolean): void;
  /** Called after every commit. Syncs at once unless that was deferred. */
  committed(): void;
  /** Resolves when everything committed before the call is on the disk. */
  sync(): Promise<void>;
  close(): void;
}

export function createDurableLog(database: string): DurableLog {
  if (database === ':memory:' || database === '')
    return { defer() {}, committed() {}, sync: async () => {}, close() {} };
  let file: number | null = null;
  let deferred = false;

  /** SQLite's log exists from the first commit until the last connection closes, which is this process's. */
  function log(): number {
    file ??= openSync(`${realpathSync(database)}-wal`, 'r+');
    return file;
  }

  return {
    defer(next) {
      deferred = next;
    },
    committed() {
      if (!deferred) fdatasyncSync(log());
      deferred = false;
    },
    sync: () =>
      new Promise((resolve, reject) => {
        fdatasync(log(), (error) => (error ? reject(error) : resolve()));
      }),
    close() {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}

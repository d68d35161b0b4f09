import { closeSync, fdatasync, fdatasyncSync, openSync, realpathSync } from 'node:fs';

/**
 * Makes what SQLite has committed survive power loss. In WAL mode with `synchronous=NORMAL` a commit is written to the log
 * and not yet on the disk; syncing the log after it is all that `FULL` does more
 * (https://www.sqlite.org/pragma.html#pragma_synchronous). Doing it here lets the process work on while the disk does.
 */
export interface DurableLog {
  /** Whether whoever commits next sees to its durability by `sync`; it holds for one commit. */
  defer(next: boolean): void;
  /** Called after every commit: syncs at once, unless that was deferred. */
  committed(): void;
  /** Resolves when everything that was committed before is on the disk. */
  sync(): Promise<void>;
  close(): void;
}

export function createDurableLog(database: string): DurableLog {
  if (database === ':memory:' || database === '')
    return { defer() {}, committed() {}, sync: async () => {}, close() {} };
  let file: number | null = null;
  let deferred = false;

  /** The log exists from the first commit until the last connection closes, which is ours. */
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

import { failureEntry, type Log } from '../runtime/log/log.ts';

/** After the last of several deletions, as when the trash is emptied. */
const quietMs = 1_000;

export interface ForgetDeletedDeps {
  readonly truncateLog: () => Promise<void>;
  readonly log: Log;
}

/**
 * Deleted words stay in the database's write-ahead log until it is begun anew, which a program that runs all day may not do for
 * hours. `soon` begins it anew a moment after a deletion; the end of the app does so in any case.
 */
export function forgetDeleted({ truncateLog, log }: ForgetDeletedDeps) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    soon(): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        truncateLog().catch((error: unknown) => log({ event: 'deleted_words_kept', ...failureEntry(error) }));
      }, quietMs);
      timer.unref();
    },
    close: (): void => clearTimeout(timer),
  };
}

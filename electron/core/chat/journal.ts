/** Saves a running answer to the database, at most once per interval. */
export interface Journal {
  touch(): void;
  /** Stops saving, after the current save. */
  close(): Promise<void>;
}

export function openJournal(save: () => Promise<void>, intervalMs: number, failed: (error: unknown) => void): Journal {
  let timer: NodeJS.Timeout | null = null;
  let saving = Promise.resolve();
  return {
    touch() {
      timer ??= setTimeout(() => {
        timer = null;
        saving = saving.then(save).catch(failed);
      }, intervalMs);
    },
    async close() {
      if (timer) clearTimeout(timer);
      await saving;
    },
  };
}

/** Saves a growing answer: soon after it has grown, and not more often than once in an interval. */
export interface Journal {
  touch(): void;
  /** Stops saving and waits for the save that is under way. */
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

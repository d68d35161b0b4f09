/** Something that a waiting reader can be woken by; waking nobody is remembered once. */
export interface Wake {
  wake(): void;
  /** Resolves at the next wake, or at once where one has happened since. False: the signal was aborted. */
  next(signal: AbortSignal | undefined): Promise<boolean>;
}

export function openWake(): Wake {
  let woken = false;
  let waiting: (() => void) | null = null;
  return {
    wake() {
      woken = true;
      waiting?.();
    },
    next(signal) {
      return new Promise((resolve) => {
        const settle = () => {
          signal?.removeEventListener('abort', settle);
          waiting = null;
          woken = false;
          resolve(!signal?.aborted);
        };
        if (woken || signal?.aborted) return settle();
        signal?.addEventListener('abort', settle, { once: true });
        waiting = settle;
      });
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';

/** One frame at 60 Hz. */
export const frameMs = 16;

/** Waits, but stops waiting when the signal is aborted. Never throws. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch(() => {});
}

/** Lets one reader wait for a notification. A notification without a reader is remembered. */
interface Notifier {
  notify(): void;
  /** Resolves at the next notification, or at once if one is pending. The result is false if the signal was aborted. */
  next(signal: AbortSignal | undefined): Promise<boolean>;
}

export function openNotifier(): Notifier {
  let notified = false;
  let waiting: (() => void) | null = null;
  return {
    notify() {
      notified = true;
      waiting?.();
    },
    next(signal) {
      return new Promise((resolve) => {
        const resume = () => {
          signal?.removeEventListener('abort', resume);
          waiting = null;
          notified = false;
          resolve(!signal?.aborted);
        };
        if (notified || signal?.aborted) return resume();
        signal?.addEventListener('abort', resume, { once: true });
        waiting = resume;
      });
    },
  };
}

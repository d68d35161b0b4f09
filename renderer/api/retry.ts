/** Exponential backoff, from 250 ms to five seconds. */
export const retryDelay = (attempt: number): number => Math.min(5000, 250 * 2 ** Math.min(attempt, 10));

/** Resolves after the time or as soon as the signal is aborted. */
export function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}

import { vi } from 'vitest';

/**
 * Repeats the check until it no longer throws and returns its result. Rejects with the check's
 * last error after 20 seconds.
 */
export const eventually = <Value>(check: () => Value | Promise<Value>, { interval = 50 } = {}): Promise<Value> =>
  vi.waitFor(check, { timeout: 20_000, interval });

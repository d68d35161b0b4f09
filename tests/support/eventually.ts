import { vi } from 'vitest';

/** What the check answers once it no longer throws; its last error if it throws for too long. */
export const eventually = <Value>(check: () => Value | Promise<Value>, { interval = 50 } = {}): Promise<Value> =>
  vi.waitFor(check, { timeout: 20_000, interval });

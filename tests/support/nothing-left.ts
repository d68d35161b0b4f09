import { afterAll, expect, vi } from 'vitest';

/**
 * Files that share a process are each other's surroundings: one that leaves a clock that stands still, another folder, another
 * environment or another `fetch` behind fails by itself, and not the file that comes next.
 */
const before = surroundings();

afterAll(() => {
  const after = surroundings();
  vi.useRealTimers();
  expect(after).toEqual(before);
});

function surroundings() {
  const { fetch, setTimeout, setInterval, performance } = globalThis;
  const { VITEST_POOL_ID: _pool, VITEST_WORKER_ID: _worker, ...env } = process.env;
  return { fakeTimers: vi.isFakeTimers(), folder: process.cwd(), env, fetch, setTimeout, setInterval, performance };
}

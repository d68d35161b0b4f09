import { afterAll, expect, vi } from 'vitest';

/**
 * Test files share a process. A file that leaves a stopped clock, another folder, another environment or a replaced
 * `fetch` behind must fail itself, instead of the file that comes next.
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

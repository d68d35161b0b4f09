import { expect, test } from 'vitest';
import { testPrincipal } from '../../../tests/gateway-doubles/test-receiving.ts';
import { getPlan } from '../auth/plans.ts';
import type { LimitStore } from './limit-store.ts';
import { createMemoryStore } from './memory-store.ts';
import { RateLimitLease } from './rate-limit-lease.ts';

const caller = testPrincipal({ ...getPlan('pro'), requestsPerMinute: 10, concurrentRequests: 1 });

/** A limit store on another machine: every answer of it takes a moment. */
function createRemoteStore(more: Partial<LimitStore> = {}): LimitStore {
  const store = createMemoryStore(() => 0);
  return { take: async (...given) => store.take(...given), enter: async (...given) => store.enter(...given), ...more };
}

const remaining = (pass: RateLimitLease) => {
  const headers: Record<string, string> = {};
  pass.addHeaders(headers);
  return headers['x-ratelimit-remaining-requests'];
};

test('when another machine counts, a chat beyond the limit is refused without being counted, and is admitted once another has ended', async () => {
  const store = createRemoteStore();
  const passes = Array.from({ length: 3 }, () => new RateLimitLease(store, caller));
  const [first, second, third] = passes as [RateLimitLease, RateLimitLease, RateLimitLease];
  await first.acquire();
  await expect(second.acquire()).rejects.toMatchObject({ code: 'concurrency_limit_exceeded', retryAfterMs: 1_000 });
  await second.release(0);
  expect([remaining(first), remaining(second)]).toEqual(['9', '9']);
  await first.release(0);
  await third.acquire();
  expect(remaining(third)).toBe('8');
});

test('a chat that could not be counted is refused, and releases its place', async () => {
  let left = 0;
  const store = createRemoteStore({
    take: async () => Promise.reject(new Error('the counters are away')),
    enter: async () => () => void left++,
  });
  const pass = new RateLimitLease(store, caller);
  await expect(pass.acquire()).rejects.toThrow('the counters are away');
  await pass.release(0);
  expect(left).toBe(1);
});

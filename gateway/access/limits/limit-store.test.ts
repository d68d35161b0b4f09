import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { onPostgres, testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { openDatabase } from '../../storage/open-database.ts';
import type { LimitStore } from './limit-store.ts';
import { createMemoryStore } from './memory-store.ts';
import { createPostgresStore } from './postgres-store.ts';

const start = 1_800_000_000_000;

/** The store of this run's database engine. On PostgreSQL there are two stores that share their counters. */
async function open() {
  let time = start;
  const clock = () => time;
  const pass = (ms: number) => {
    time += ms;
  };
  if (!onPostgres()) {
    const store = createMemoryStore(clock);
    return { one: store, two: store, pass };
  }
  const [one, two] = await twoStores(clock);
  return { one, two, pass };
}

async function twoStores(clock: (() => number) | null): Promise<readonly [LimitStore, LimitStore]> {
  const { db } = await openDatabase(await testDatabase());
  const problems: unknown[] = [];
  const log = (entry: unknown) => void problems.push(entry);
  const stores = ['inst_1', 'inst_2'].map((instanceId) => createPostgresStore({ db, instanceId, clock, log }));
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await db.destroy();
    expect(problems).toEqual([]);
  });
  const [one, two] = stores;
  if (!one || !two) throw new Error('unreachable');
  return [one, two];
}

const admitted = async (store: LimitStore, limit: number, cost = 1, key = 'key') =>
  (await store.take(key, limit, cost)).admitted;

describe(`a limit store ${onPostgres() ? 'shared over PostgreSQL' : 'in memory'}`, () => {
  test('reports the state of the window, and how long a refused request has to wait', async () => {
    const { one, two, pass } = await open();
    expect(await one.take('key', 3, 0)).toMatchObject({ admitted: true, limit: 3, remaining: 3, resetMs: 0 });
    expect(await one.take('key', 3, 1)).toMatchObject({ admitted: true, remaining: 2, resetMs: 60_000 });
    pass(10_000);
    expect(await two.take('key', 3, 2)).toMatchObject({ admitted: true, remaining: 0, resetMs: 60_000 });
    pass(20_000);
    expect(await one.take('key', 3, 1)).toMatchObject({ admitted: false, remaining: 0, retryAfterMs: 30_000 });
    expect(await two.take('key', 3, 3)).toMatchObject({ admitted: false, resetMs: 40_000, retryAfterMs: 40_000 });
    expect(await one.take('key', 3, 0)).toMatchObject({ admitted: true, remaining: 0 });
    expect(await admitted(one, 3, 1, 'another key')).toBe(true);
    pass(30_000);
    expect(await two.take('key', 3, 1)).toMatchObject({ admitted: true, remaining: 0 });
  });

  test('a cost above the limit is never admitted, and a cost of zero always is', async () => {
    const { one, two } = await open();
    expect(await admitted(one, 5, 6)).toBe(false);
    expect(await admitted(two, 5, 5)).toBe(true);
    expect(await admitted(one, 5, 0)).toBe(true);
  });

  test('a reservation is corrected to the used cost, also twice and after it has expired', async () => {
    const { one, two, pass } = await open();
    const reserved = await one.take('key', 100, 80);
    if (!reserved.admitted) throw new Error('refused');
    await reserved.settle(30);
    expect(await two.take('key', 100, 0)).toMatchObject({ remaining: 70 });
    await reserved.settle(90);
    expect(await two.take('key', 100, 0)).toMatchObject({ remaining: 10 });
    await reserved.settle(0);
    expect(await two.take('key', 100, 100)).toMatchObject({ admitted: true, remaining: 0 });
    pass(60_000);
    await reserved.settle(100);
    expect(await two.take('key', 100, 100)).toMatchObject({ admitted: true });
  });

  test('never admits more than the limit in any minute, and always admits after the announced wait', async () => {
    const { one, two, pass } = await open();
    let round = 0;
    const steps = fc.array(fc.tuple(fc.nat(20_000), fc.integer({ min: 1, max: 4 })), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 4, max: 9 }), async (sequence, limit) => {
        round += 1;
        const key = `key ${round}`;
        const taken: { at: number; cost: number }[] = [];
        let now = 0;
        for (const [pause, cost] of sequence) {
          pass(pause);
          now += pause;
          const store = taken.length % 2 ? one : two;
          const answer = await store.take(key, limit, cost);
          if (!answer.admitted) {
            expect(answer.retryAfterMs).toBeGreaterThan(0);
            expect(answer.retryAfterMs).toBeLessThanOrEqual(60_000);
            pass(answer.retryAfterMs);
            now += answer.retryAfterMs;
            expect((await store.take(key, limit, cost)).admitted).toBe(true);
          }
          taken.push({ at: now, cost });
          const lastMinute = taken.filter(({ at }) => at > now - 60_000);
          expect(lastMinute.reduce((sum, use) => sum + use.cost, 0)).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: onPostgres() ? 25 : 200 },
    );
  });

  test('no caller waits longer than a minute when the clock is set back an hour', async () => {
    const { one, two, pass } = await open();
    expect(await admitted(one, 1)).toBe(true);
    pass(-3_600_000);
    expect(await two.take('key', 1, 1)).toMatchObject({ admitted: false, retryAfterMs: 60_000 });
    pass(60_000);
    expect(await admitted(two, 1)).toBe(true);
  });

  test('a running request is released once, however often its end is reported', async () => {
    const { one, two } = await open();
    const [first, second] = [await one.enter('key', 2), await two.enter('key', 2)];
    expect(await one.enter('key', 2)).toBeNull();
    expect(await one.enter('another key', 2)).not.toBeNull();
    await first?.();
    await first?.();
    expect(await two.enter('key', 2)).not.toBeNull();
    expect(await two.enter('key', 2)).toBeNull();
    await second?.();
    expect(await one.enter('key', 2)).not.toBeNull();
  });

  test('of any number of simultaneous requests exactly the limit is admitted', async () => {
    const { one, two } = await open();
    const each = Array.from({ length: 60 }, (_, index) => (index % 2 ? one : two));
    const takes = await Promise.all(each.map((store) => store.take('key', 20, 1)));
    expect(takes.filter((take) => take.admitted)).toHaveLength(20);
    const places = await Promise.all(each.map((store) => store.enter('key', 7)));
    expect(places.filter((place) => place !== null)).toHaveLength(7);
    await Promise.all(places.map((release) => release?.()));
    expect(await one.enter('key', 1)).not.toBeNull();
  });
});

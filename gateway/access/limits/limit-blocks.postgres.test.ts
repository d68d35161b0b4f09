import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { getPlan } from '../auth/plans.ts';
import type { Plan, Principal } from '../auth/principal.ts';
import type { ReleasePlace } from './limit-store.ts';
import { createPostgresStore } from './postgres-store.ts';
import { RateLimitLease } from './rate-limit-lease.ts';

/** Three instances on one database, and how often they ask it. */
async function openThree(clock: (() => number) | null = null) {
  const { db } = await openDatabase(await testDatabase());
  const problems: unknown[] = [];
  let asked = 0;
  const counting = Object.assign(Object.create(db), {
    executeQuery(...query: Parameters<typeof db.executeQuery>) {
      asked += 1;
      return db.executeQuery(...query);
    },
  }) as typeof db;
  const stores = ['inst_a', 'inst_b', 'inst_c'].map((instanceId) =>
    createPostgresStore({ db: counting, instanceId, clock, log: (entry) => void problems.push(entry) }),
  );
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await db.destroy();
    expect(problems).toEqual([]);
  });
  const one = (index: number) => {
    const store = stores[index % stores.length];
    if (!store) throw new Error('unreachable');
    return store;
  };
  return { db, one, asked: () => asked };
}

const anyone = { accountId: 'acct_1', credential: { id: 'key_1' } } as Principal;

const getSum = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

test('no minute admits more than the limit, however requests are spread over three instances', async () => {
  let time = 1_800_000_000_000;
  const { one } = await openThree(() => time);
  let round = 0;
  const use = fc.record({
    pause: fc.constantFrom(0, 0, 1, 20, 130, 499, 500, 7_000, 61_000),
    store: fc.nat(2),
    cost: fc.integer({ min: 1, max: 9 }),
    back: fc.nat(9),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(use, { minLength: 40, maxLength: 120, size: 'max' }),
      fc.integer({ min: 60, max: 300 }),
      async (uses, limit) => {
        round += 1;
        const key = `key ${round}`;
        const taken: { at: number; cost: number }[] = [];
        for (const { pause, store, cost, back } of uses) {
          time += pause;
          const answers = await Promise.all([0, 1, 2].map(() => one(store).take(key, limit, cost)));
          for (const answer of answers) {
            expect(answer.remaining).toBeLessThanOrEqual(limit);
            if (!answer.admitted) continue;
            const used = Math.max(0, cost - back);
            await answer.settle(used);
            taken.push({ at: time, cost: used });
          }
          const lastMinute = taken.filter(({ at }) => at > time - 60_000).map((one) => one.cost);
          expect(getSum(lastMinute)).toBeLessThanOrEqual(limit);
        }
      },
    ),
    { numRuns: 8 },
  );
});

test('a busy key costs one statement for many uses, and the unused rest is given back', async () => {
  const { one, asked, db } = await openThree();
  const uses = 300;
  for (let done = 0; done < uses; done += 1) {
    const taken = await one(0).take('busy', 3_000, 1);
    const release = await one(0).enter('busy', 256);
    expect([taken.admitted, taken.remaining]).toEqual([true, 3_000 - done - 1]);
    await release?.();
  }
  expect(asked()).toBeLessThan(uses / 5);
  await expect.poll(async () => (await one(1).take('busy', 3_000, 0)).remaining).toBe(3_000 - uses);
  await expect.poll(() => db.selectFrom('limit_places').select('id').execute()).toEqual([]);
});

test('a request with a seldom used key sends one statement for all its limits, and gives tokens back with a later statement', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let time = 1_800_000_000_000;
  const { one, asked, db } = await openThree(() => time);
  const plan = getPlan('pro');
  if (!plan) throw new Error('unreachable');
  const request = async (id: string, used: number) => {
    const pass = new RateLimitLease(one(0), { ...anyone, plan, credential: { ...anyone.credential, id } });
    await pass.acquire();
    await pass.reserveTokens({ input: 250, output: 4_096 });
    await pass.release(used);
  };
  // The usual cost of a request is not known yet.
  await request('key_first', 300);
  const before = asked();
  await request('key_second', 300);
  expect(asked() - before).toBe(1);
  time += 1_000;
  vi.advanceTimersByTime(1_000);
  const stored = async () => [
    await db.selectFrom('limit_places').select('id').execute(),
    await db.selectFrom('limit_uses').select(['key', 'cost']).where('cost', '>', 0n).orderBy('key').execute(),
  ];
  const uses = ['requests:key_first', 'requests:key_second', 'tokens:key_first', 'tokens:key_second'];
  const costs = uses.map((key) => ({ key, cost: key.startsWith('tokens') ? 300n : 1n }));
  await expect.poll(stored).toEqual([[], costs]);
});

test('a request that is refused because too many run does not count against the requests of the minute', async () => {
  const { one } = await openThree();
  const plan = { ...getPlan('free'), concurrentRequests: 1 } as Plan;
  const open = (index: number) => new RateLimitLease(one(index), { ...anyone, plan });
  const running = open(0);
  await running.acquire();
  for (const index of [0, 1, 2, 0, 1, 2]) {
    const refused = open(index);
    await expect(refused.acquire()).rejects.toMatchObject({ code: 'concurrency_limit_exceeded' });
    await refused.release(0);
    const headers: Record<string, string> = {};
    refused.addHeaders(headers);
    expect(headers).toMatchObject({ 'x-ratelimit-remaining-requests': '19' });
  }
  await expect.poll(async () => (await one(1).take('requests:key_1', 20, 0)).remaining).toBe(19);
});

test('no more requests run at once than the limit, and as many may begin again when those have ended', async () => {
  const { one } = await openThree();
  const limit = 100;
  let running = 0;
  let most = 0;
  const request = async (index: number) => {
    const release: ReleasePlace | null = await one(index).enter('key', limit);
    if (!release) return;
    running += 1;
    most = Math.max(most, running);
    // Each runs long enough for others to begin meanwhile, and for some of them to end.
    for (let turns = index % 17; turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    await release();
  };
  for (let wave = 0; wave < 6; wave += 1) await Promise.all(Array.from({ length: 180 }, (_, index) => request(index)));
  expect(most).toBeGreaterThan(50);
  expect(most).toBeLessThanOrEqual(limit);
  const all = async () => Promise.all(Array.from({ length: limit }, () => one(1).enter('key', limit)));
  await expect
    .poll(async () => {
      const releases = await all();
      await Promise.all(releases.map((release) => release?.()));
      return releases.filter((release) => release === null).length;
    })
    .toBe(0);
});

import { expect, test } from 'vitest';
import { createTurns } from './overload.ts';

/** An event loop that the test turns by hand. Each turn takes the given time, of which a given part is the thread's own processor time. */
function openLoop({ maxWaitMs = 100, busy = () => false }: { maxWaitMs?: number; busy?: () => boolean } = {}) {
  let time = 0;
  let own = 0;
  let due: (() => void)[] = [];
  const call = (next: () => void) => void due.push(next);
  const clock = { now: () => time, ownMs: () => own, defer: call, later: call };
  const turns = createTurns({ alone: 4, mixed: 2, maxWaitMs }, clock, busy);
  const began: string[] = [];
  return {
    turns,
    began,
    async enter(account: string, name = account) {
      await turns.enter(account, 1);
      began.push(name);
    },
    async turn(wallMs: number, ownMs = wallMs) {
      time += wallMs;
      own += ownMs;
      const now = due;
      due = [];
      for (const next of now) next();
      await Promise.resolve();
    },
    isIdle: () => due.length === 0,
  };
}

test('a single account begins as much work as fits into a turn of the event loop, and the rest in order', async () => {
  const { enter, turn, began, isIdle } = openLoop();
  const all = Array.from({ length: 10 }, (_, index) => enter('a', String(index)));
  await Promise.resolve();
  expect(began).toHaveLength(4);
  await turn(1);
  expect(began).toHaveLength(8);
  await turn(1);
  await Promise.all(all);
  expect(began.join('')).toBe('0123456789');
  await turn(1);
  await turn(1);
  expect(isIdle()).toBe(true);
});

test('one request of another account waits for one turn, however many of the first account wait', async () => {
  const { enter, turn, began } = openLoop();
  for (let index = 0; index < 200; index += 1) void enter('a');
  void enter('b');
  await turn(1);
  expect(began).toContain('b');
  expect(began.length).toBeLessThan(8);
});

test('only a request that would wait too long is refused, and when it has begun the next is taken at once', async () => {
  const { enter, turn, turns } = openLoop();
  for (let round = 0; round < 30; round += 1) {
    while (!turns.isLate('a')) void enter('a');
    await turn(50);
  }
  // Four units fit into a turn of 50 ms, so eight take 100 ms.
  expect(turns.unitMs).toBeCloseTo(12.5, 1);
  while (!turns.isLate('a')) void enter('a');
  expect(turns.waiting).toBe(8);
  expect([turns.isLate('a'), turns.isLate('b')]).toEqual([true, false]);
  while (turns.waiting > 0) await turn(50);
  expect(turns.isLate('a')).toBe(false);
});

test('a thread that lacks processor time is not counted as having more work', async () => {
  const { enter, turn, turns } = openLoop();
  for (let index = 0; index < 50; index += 1) void enter('a');
  for (let index = 0; index < 5; index += 1) await turn(1_000, 4);
  expect(turns.unitMs).toBeLessThan(3);
  expect(turns.isLate('a')).toBe(false);
});

test('no work begins while the database is busy', async () => {
  let isBusy = true;
  const { enter, turn, began } = openLoop({ busy: () => isBusy });
  void enter('a');
  await turn(1);
  expect(began).toEqual([]);
  isBusy = false;
  await turn(1);
  expect(began).toEqual(['a']);
});

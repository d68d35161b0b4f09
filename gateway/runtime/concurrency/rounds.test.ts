import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRounds } from './rounds.ts';

/** Rounds that end when they are told to. */
function held() {
  const ends: ((error?: Error) => void)[] = [];
  const ask = createRounds(
    () => new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve()))),
  );
  return { ends, ask };
}

test('what comes in one turn of the loop is one round, and what comes while it is under way is the next', async () => {
  const { ends, ask } = held();
  const first = [ask(), ask()];
  await expect.poll(() => ends.length).toBe(1);
  const second = [ask(), ask()];
  await turn();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await Promise.all(first);
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.();
  await Promise.all(second);
});

test('a round that fails is told to those who asked for it, and the next one is made', async () => {
  const { ends, ask } = held();
  const first = ask();
  await expect.poll(() => ends.length).toBe(1);
  const second = ask();
  ends[0]?.(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.();
  await second;
});

/** Nine rounds, one after the other: how long each waited for its turn, in milliseconds and in turns of the loop. */
async function nineRounds(isEnough?: () => boolean) {
  const waits: { ms: number; turns: number }[] = [];
  let turns = 0;
  let ended = { at: 0, turns: 0 };
  const counting = async () => {
    for (; waits.length < 9; turns += 1) await turn();
  };
  const ask: () => Promise<void> = createRounds(async () => {
    waits.push({ ms: performance.now() - ended.at, turns: turns - ended.turns });
    if (waits.length < 9) void ask();
    await pause(8);
    ended = { at: performance.now(), turns };
  }, isEnough);
  const counted = counting();
  await ask();
  await counted;
  return waits.slice(1);
}

test('where round follows round each waits for more to come', async () => {
  // The timer may be a millisecond early.
  for (const { ms } of (await nineRounds()).slice(2)) expect(ms).toBeGreaterThanOrEqual(4);
});

test('who made few rounds, or has enough for another one, waits for one turn of the loop', async () => {
  for (const { turns } of (await nineRounds()).slice(0, 2)) expect(turns).toBeLessThanOrEqual(2);
  for (const { turns } of await nineRounds(() => true)) expect(turns).toBeLessThanOrEqual(2);
});

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

test('where round follows round each waits for as long as the one before took, and who is alone does not', async () => {
  const began: number[] = [];
  const ended: number[] = [];
  let more = 8;
  const ask: () => Promise<void> = createRounds(async () => {
    began.push(performance.now());
    if (more > 0) void ask();
    more -= 1;
    await pause(8);
    ended.push(performance.now());
  });
  await ask();
  await expect.poll(() => ended.length).toBe(9);
  const waits = began.slice(1).map((at, index) => at - (ended[index] ?? 0));
  // The timer may be a millisecond early.
  for (const wait of waits.slice(2)) expect(wait).toBeGreaterThanOrEqual(6);
  expect(Math.min(...waits.slice(0, 2))).toBeLessThan(6);
});

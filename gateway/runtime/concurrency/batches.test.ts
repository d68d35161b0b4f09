import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatches } from './batches.ts';

/** Batches that end when the test ends them. */
function createHeldBatches() {
  const ends: ((error?: Error) => void)[] = [];
  const ask = createBatches(
    () => new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve()))),
  );
  return { ends, ask };
}

test('requests in one turn of the event loop share a batch, and requests during a batch share the next one', async () => {
  const { ends, ask } = createHeldBatches();
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

test('a failed batch rejects for those that requested it, and the next one runs', async () => {
  const { ends, ask } = createHeldBatches();
  const first = ask();
  await expect.poll(() => ends.length).toBe(1);
  const second = ask();
  ends[0]?.(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.();
  await second;
});

/** Runs nine batches in a row and returns how long each waited to begin, in milliseconds and in turns of the event loop. */
async function runNineBatches(isEnough?: () => boolean) {
  const waits: { ms: number; turns: number }[] = [];
  let turns = 0;
  let ended = { at: 0, turns: 0 };
  const counting = async () => {
    for (; waits.length < 9; turns += 1) await turn();
  };
  const ask: () => Promise<void> = createBatches(async () => {
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

test('each batch waits for more work when many follow each other', async () => {
  // A timer may fire a millisecond early.
  for (const { ms } of (await runNineBatches()).slice(2)) expect(ms).toBeGreaterThanOrEqual(4);
});

test('a batch begins after one turn of the event loop when few came before it or there is enough work', async () => {
  for (const { turns } of (await runNineBatches()).slice(0, 2)) expect(turns).toBeLessThanOrEqual(2);
  for (const { turns } of await runNineBatches(() => true)) expect(turns).toBeLessThanOrEqual(2);
});

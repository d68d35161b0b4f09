import { expect, test } from 'vitest';
import { createRunning } from './running.ts';

test('a drain waits for running work, also for work that fails or that begins meanwhile', async () => {
  const running = createRunning();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  void running.track(first.promise.then(() => void order.push('first')));
  const drained = running.drain(60_000).then(() => void order.push('drained'));
  expect(running.draining).toBe(true);
  void running.track(second.promise).catch(() => void order.push('second failed'));
  first.resolve();
  await first.promise;
  second.reject(new Error('broken'));
  await drained;
  expect(order).toEqual(['first', 'second failed', 'drained']);
  expect(running.stopped).toBe(false);
});

test('a drain that takes too long stops the running work and still waits for its end', async () => {
  const running = createRunning();
  let settled = false;
  void running.track(
    new Promise<void>((resolve) => {
      running.whenStopped(() => {
        settled = true;
        resolve();
      });
    }),
  );
  await running.drain(0);
  expect(settled).toBe(true);
});

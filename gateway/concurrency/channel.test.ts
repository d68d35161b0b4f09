import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChannel } from './channel.ts';

const never = new AbortController().signal;

test('values come out in order, then the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat()), fc.integer({ min: 1, max: 4 }), async (values, capacity) => {
      const channel = createChannel<number>(capacity, never);
      const write = async () => {
        for (const value of values) await channel.push(value);
        channel.end();
      };
      const writing = write();
      const read: number[] = [];
      for (let next = await channel.next(); !next.done; next = await channel.next()) read.push(next.value);
      await writing;
      expect(read).toEqual(values);
    }),
  );
});

test('a reader that does not read stops the writer', async () => {
  const channel = createChannel<number>(2, never);
  expect(channel.push(1)).toBeUndefined();
  expect(channel.push(2)).toBeUndefined();
  let through = false;
  const third = channel.push(3)?.then(() => {
    through = true;
  });
  await new Promise(setImmediate);
  expect(through).toBe(false);
  await channel.next();
  await third;
  expect(through).toBe(true);
});

test('an abort frees a writer that waits, with its reason', async () => {
  const abort = new AbortController();
  const channel = createChannel<number>(0, abort.signal);
  const waiting = channel.push(1);
  abort.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
});

test('what the writer failed with comes after what it had written', async () => {
  const channel = createChannel<number>(9, never);
  await channel.push(1);
  channel.fail(new Error('broken'));
  channel.end();
  expect(await channel.next()).toEqual({ done: false, value: 1 });
  await expect(channel.next()).rejects.toThrow('broken');
});

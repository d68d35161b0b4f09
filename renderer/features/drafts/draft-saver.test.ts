import { ORPCError } from '@orpc/client';
import { expect, test } from 'vitest';
import { createDebouncedSaver } from './debounced-saver.ts';

test.each([
  ['a lost core, which the window shows', new Error('closed'), 0],
  ['a failure that the core names', new ORPCError('internal_error'), 1],
])('a draft that was not saved because of %s is saved by the next flush', async (_, failure, reported) => {
  const failures: unknown[] = [];
  const saved: string[] = [];
  let draft = 'first';
  let away = true;
  const saver = createDebouncedSaver(
    () => draft,
    async (_chat, text: string) => {
      if (away) throw failure;
      saved.push(text);
    },
    (error) => failures.push(error),
    () => failures.splice(0),
  );
  saver.touch('a');
  saver.flush();
  await expect.poll(() => failures.length).toBe(reported);
  away = false;
  draft = 'second';
  await new Promise(setImmediate);
  saver.flush();
  await expect.poll(() => saved).toEqual(['second']);
  await expect.poll(() => failures).toEqual([]);
});

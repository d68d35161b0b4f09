import { expect, test } from 'vitest';
import { createMemoryStore } from './memory-store.ts';

test('any number of keys is counted in limited memory, and a key in use keeps its count', async () => {
  let time = 0;
  const store = createMemoryStore(() => time);
  expect((await store.take('mine', 2, 1)).admitted).toBe(true);
  for (let index = 0; index < 120_000; index += 1) {
    await store.take(`other-${index}`, 1, 1);
    if (index % 10_000 === 0) await store.take('mine', 2, 0);
  }
  expect(await store.take('mine', 2, 1)).toMatchObject({ admitted: true, remaining: 0 });
  expect(await store.take('mine', 2, 1)).toMatchObject({ admitted: false, retryAfterMs: 60_000 });
  time += 60_000;
  expect((await store.take('mine', 2, 2)).admitted).toBe(true);
});

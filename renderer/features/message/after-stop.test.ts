import { expect, test } from 'vitest';
import { fakeMessage } from '../../../tests/support/fake-data.ts';
import { afterStop } from './after-stop.ts';

const stopped = (servedProvider: string) =>
  afterStop(
    { ...fakeMessage({}), servedProvider, requestId: 'req_1', costUsd: '0.01', costSource: 'billed' },
    (id) => id,
  );

test('providers known to stop or to go on computing are named with source and date; others are called unknown', () => {
  expect(stopped('anthropic')).toMatch(/stops computing at once.*OpenRouter.*2026/);
  expect(stopped('google')).toMatch(/may finish the answer unseen.*OpenRouter.*2026/);
  expect(stopped('cerebras')).toMatch(/is not known/);
  expect(stopped('ollama')).toMatch(/is not known/);
  expect(stopped('sandbox')).toMatch(/stops computing at once, so nothing more is charged\.$/);
});

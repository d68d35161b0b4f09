import { expect, test } from 'vitest';
import { fakeMessage } from '../../../../tests/support/fake-data.ts';
import { afterStop } from './answer-end.tsx';

const stopped = (servedProvider: string) =>
  afterStop(
    { ...fakeMessage({}), servedProvider, requestId: 'req_1', costUsd: '0.01', costSource: 'billed' },
    (id) => id,
  );

test('the note cites source and date for providers known to stop or to go on computing, and calls others unknown', () => {
  expect(stopped('anthropic')).toMatch(/stops computing at once.*OpenRouter.*2026/);
  expect(stopped('google')).toMatch(/may finish the answer unseen.*OpenRouter.*2026/);
  expect(stopped('cerebras')).toMatch(/is not known/);
  expect(stopped('ollama')).toMatch(/is not known/);
  expect(stopped('sandbox')).toMatch(/stops computing at once, so nothing more is charged\.$/);
});

test('an answer that was stopped before its tokens were counted shows an estimate and its upper bound', () => {
  const message = { ...fakeMessage({}), servedProvider: 'openai', requestId: 'req_1', costUsd: '0.000028' };
  const bill = { lines: [], upTo: '2.56' };
  const estimated = afterStop({ ...message, costSource: 'estimated', bill }, (id) => id);
  expect(estimated).toMatch(/about \$\S+, by an estimate.*may be up to \$2\.56/);
  expect(estimated).not.toMatch(/reads? on|nothing more|charges for more/);
  for (const servedProvider of ['anthropic', 'google', 'cerebras'])
    expect(afterStop({ ...message, servedProvider, costSource: 'estimated', bill }, (id) => id)).toMatch(/2\.56\.$/);
});

test('the note explains that a provider which counts tokens at the end is still read for its count', () => {
  const message = { ...fakeMessage({}), servedProvider: 'openai', requestId: 'req_1' };
  expect(afterStop({ ...message, costUsd: null, costSource: 'unknown' }, (id) => id)).toMatch(
    /not known\. openai counts an answer at its end/,
  );
  for (const costSource of ['billed', 'byok', 'uncharged'] as const)
    expect(afterStop({ ...message, costUsd: '1.2', costSource }, (id) => id)).not.toMatch(/stops computing|reads? on/);
});

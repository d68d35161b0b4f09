import { expect, test } from 'vitest';
import { fakeMessage } from '../../../tests/support/fake-data.ts';
import { withSums } from './message-store.ts';

const part = (id: string, parentId: string | null, change = {}) =>
  fakeMessage({ id, parentId, role: 'assistant', costSource: 'billed', costUsd: '0.1', ...change });
const usage = { promptTokens: 3, completionTokens: 2, cachedTokens: 1, reasoningTokens: 0 };
const bill = (kind: string, usd: string) => ({ lines: [{ kind, tokens: 2, usd }] });

test('each part of a continued answer has the sum of the parts so far, and a single message has none', () => {
  const sums = withSums([
    fakeMessage({ id: 'q', text: 'Q' }),
    part('a', 'q', { usage, costUsd: '0.000000001', bill: bill('input', '0.000000001') }),
    part('b', 'a', { usage, costUsd: '0.2', costSource: 'estimated', continues: true, bill: bill('output', '0.2') }),
    part('c', 'b', { usage, costUsd: '1', continues: true, bill: bill('input', '1') }),
  ]).map(({ sum }) => sum);
  expect(sums.slice(0, 2)).toEqual([undefined, undefined]);
  expect(sums[2]).toMatchObject({ costUsd: '0.200000001', costSource: 'estimated' });
  expect(sums[3]).toEqual({
    usage: { promptTokens: 9, completionTokens: 6, cachedTokens: 3, reasoningTokens: 0 },
    costUsd: '1.200000001',
    costSource: 'estimated',
    bill: {
      lines: [
        { kind: 'input', tokens: 4, usd: '1.000000001' },
        { kind: 'output', tokens: 2, usd: '0.2' },
      ],
    },
  });
});

test('a part with an unknown cost makes the sum unknown, and a part that was never sent costs nothing', () => {
  const [, unknown] = withSums([
    part('a', 'q', { costUsd: null, costSource: 'unknown' }),
    part('b', 'a', { continues: true }),
  ]);
  expect(unknown?.sum).toEqual({ usage: null, costUsd: null, costSource: 'unknown', bill: null });
  const refused = { status: 'error', costUsd: null, costSource: 'unknown', continues: true };
  const [, , last] = withSums([
    part('a', 'q', { requestId: 'r1' }),
    part('b', 'a', { continues: true, requestId: 'r2' }),
    part('c', 'b', { ...refused, error: { code: 'cap_exceeded', message: '', retryAfterMs: null } }),
  ]);
  expect(last?.sum).toMatchObject({ costUsd: '0.2', costSource: 'billed' });
});

import { expect, test } from 'vitest';
import { createGenerateReader } from './generate-events.ts';

const answer = (finishReason: string, parts: object[] = []) => ({ candidates: [{ content: { parts }, finishReason }] });
const text = [{ text: 'Hm' }];
const call = [{ functionCall: { id: 'fc_1', name: 'one', args: {} } }];
const reasonOf = (finishReason: string, parts?: object[]) => {
  const last = createGenerateReader().readWhole(answer(finishReason, parts)).at(-1);
  return last?.type === 'finish' ? last.reason : null;
};

test.each([
  ['STOP', text, 'stop'],
  ['STOP', call, 'tool_calls'],
  ['MAX_TOKENS', [], 'length'],
  ['SAFETY', [], 'content_filter'],
  ['RECITATION', text, 'content_filter'],
  ['OTHER', text, 'stop'],
  ['TOO_MANY_TOOL_CALLS', call, 'tool_calls'],
])('%s after %j is %s', (finishReason, parts, expected) => {
  expect(reasonOf(finishReason, parts)).toBe(expected);
});

test.each(['OTHER', 'TOO_MANY_TOOL_CALLS', 'FINISH_REASON_UNSPECIFIED', 'A_REASON_OF_TOMORROW'])(
  '%s without a word is no answer',
  (finishReason) => {
    expect(() => reasonOf(finishReason)).toThrow(expect.objectContaining({ code: 'upstream_bad_response' }));
  },
);

test.each(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'UNEXPECTED_TOOL_CALL', 'MISSING_THOUGHT_SIGNATURE'])(
  '%s is no answer, whatever was said before',
  (finishReason) => {
    expect(() => reasonOf(finishReason, text)).toThrow(finishReason);
  },
);

test('a call keeps Google’s id', () => {
  expect(createGenerateReader().readWhole(answer('STOP', call))).toContainEqual(
    expect.objectContaining({ type: 'tool-call-start', id: 'fc_1' }),
  );
});

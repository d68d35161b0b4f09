import { expect, test } from 'vitest';
import { createGenerateReader } from './google.ts';

const answer = (finishReason: string, parts: object[] = []) => ({ candidates: [{ content: { parts }, finishReason }] });
const text = [{ text: 'Hm' }];
const call = [{ functionCall: { id: 'fc_1', name: 'one', args: {} } }];
const getReason = (finishReason: string, parts?: object[]) => {
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
])("Google's finish reason %s after %j becomes %s", (finishReason, parts, expected) => {
  expect(getReason(finishReason, parts)).toBe(expected);
});

test.each(['OTHER', 'TOO_MANY_TOOL_CALLS', 'FINISH_REASON_UNSPECIFIED', 'A_REASON_OF_TOMORROW'])(
  "Google's finish reason %s without any content is a bad response",
  (finishReason) => {
    expect(() => getReason(finishReason)).toThrow(expect.objectContaining({ code: 'upstream_bad_response' }));
  },
);

test.each(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'UNEXPECTED_TOOL_CALL', 'MISSING_THOUGHT_SIGNATURE'])(
  "Google's finish reason %s is a bad response, whatever came before it",
  (finishReason) => {
    expect(() => getReason(finishReason, text)).toThrow(finishReason);
  },
);

test("a call keeps Google's id", () => {
  expect(createGenerateReader().readWhole(answer('STOP', call))).toContainEqual(
    expect.objectContaining({ type: 'tool-call-start', id: 'fc_1' }),
  );
});

test('repeated sources are reported once, and searches that are charged by request count once', () => {
  const page = { web: { uri: 'https://example.com/', title: 'One' } };
  const support = (startIndex: number, endIndex: number) => ({
    segment: { startIndex, endIndex },
    groundingChunkIndices: [0],
  });
  const event = (piece: string, supports: object[], queries: string[]) =>
    JSON.stringify({
      candidates: [
        {
          content: { parts: [{ text: piece }] },
          groundingMetadata: { webSearchQueries: queries, groundingChunks: [page], groundingSupports: supports },
        },
      ],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
    });
  const read = (charged: 'searches' | 'requests') => {
    const reader = createGenerateReader(charged);
    return [
      ...reader.read(event('Früh. ', [support(0, 6)], ['a'])),
      ...reader.read(event('Spät.', [support(0, 6), support(7, 13)], ['a', 'b'])),
    ];
  };
  const places = read('searches').flatMap((candidate) =>
    candidate.type === 'annotations'
      ? candidate.annotations.map(({ url_citation: at }) => Object.values(at as object).slice(0, 2))
      : [],
  );
  expect(places).toEqual([
    [0, 5],
    [6, 11],
  ]);
  const counts = (charged: 'searches' | 'requests') => {
    const events = read(charged);
    const last = events.findLast((candidate) => candidate.type === 'usage');
    return [events.filter(({ type }) => type === 'search').length, last?.usage.searches];
  };
  expect([counts('searches'), counts('requests')]).toEqual([
    [2, 2],
    [1, 1],
  ]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pickFields } from './pick-fields.ts';

const names = ['status', 'usage', 'error'];

test('picks the same fields that a full parse finds, whatever else the text contains', () => {
  const name = fc.oneof(fc.constantFrom(...names, 'response', 'tools', 'a"b', 'ü\\'), fc.string({ maxLength: 5 }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 5 }),
    ),
  }));
  const response = fc.dictionary(name, value, { maxKeys: 8 });
  const around = fc.dictionary(name, value, { maxKeys: 4 });
  fc.assert(
    fc.property(around, response, fc.constantFrom(undefined, 2, '\t'), (rest, inner, blanks) => {
      const text = JSON.stringify({ ...rest, response: inner }, null, blanks);
      const parsed = JSON.parse(text).response;
      const expected = Object.fromEntries(
        names.filter((item) => Object.hasOwn(parsed, item)).map((item) => [item, parsed[item]]),
      );
      expect(pickFields(text, 'response', names)).toEqual(expected);
    }),
  );
});

test('invalid or truncated JSON ends without an exception', () => {
  const text = JSON.stringify({ type: 'x', response: { status: 'completed', usage: { a: [1, { b: '"}' }] } } });
  for (let length = 0; length < text.length; length += 1) pickFields(text.slice(0, length), 'response', names);
  expect(pickFields('[1,2]', 'response', names)).toBe(null);
  expect(pickFields('{"response":7}', 'response', names)).toBe(null);
  expect(pickFields('{"other":{"status":"x"}}', 'response', names)).toBe(null);
});

test('skips millions of values beside the wanted fields', () => {
  const tools = `[${'{"p":{"a":0}},'.repeat(400_000)}0]`;
  const text = `{"type":"response.completed","response":{"status":"completed","tools":${tools},"usage":{"output_tokens":3}}}`;
  expect(pickFields(text, 'response', names)).toEqual({ status: 'completed', usage: { output_tokens: 3 } });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestLimits } from './json-limits.ts';
import { getOutline } from './parse-json.ts';

const outline = (text: string, limits = requestLimits) =>
  getOutline(Buffer.from(text), Buffer.from('"messages"'), limits);
const spanText = (text: string) => {
  const { span } = outline(text);
  return span && Buffer.from(span.bytes).toString('utf8');
};

/** Returns how many strings a value has when it's written, including names. */
const stringsIn = (value: unknown): number => {
  if (typeof value === 'string') return 1;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + stringsIn(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [, item]) => sum + 1 + stringsIn(item), 0);
};

/** Returns the number of values: the value itself and everything inside it. */
const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, item) => sum + valuesIn(item), 1)
    : 1;

describe('the outline of a JSON text', () => {
  test('the outline finds the messages of any body byte for byte and counts their strings', () => {
    const name = fc.string().filter((text) => text !== 'messages' && !JSON.stringify(text).includes('\\'));
    const value = fc
      .jsonValue({ maxDepth: 4 })
      .filter((item) => typeof item !== 'string' || !/messages|\\|"/.test(item));
    const plainValue = value.filter((item) => typeof item !== 'string' || !JSON.stringify(item).includes('\\'));
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.dictionary(name, plainValue), (messages, others) => {
        const text = JSON.stringify({ ...others, messages }, null, 1);
        const found = outline(text).span;
        expect(JSON.parse(Buffer.from(found?.bytes ?? []).toString('utf8'))).toEqual(
          JSON.parse(JSON.stringify(messages)),
        );
        expect(found?.strings).toBe(stringsIn(messages));
      }),
    );
  });

  test.each([
    ['{"messages":[1],"messages":[2]}'],
    ['{"messages":[1],"mess\\u0061ges":[2]}'],
    ['{"model":"messages","messages":[1]}'],
    ['{"messages":"text","a":[1]}'],
    ['{"messages":5,"a":[1]}'],
    ['{"messages":{"a":[1]}}'],
    ['{"a":{"messages":[1]}}'],
    ['[{"messages":[1]}]'],
  ])('the outline has no position of the messages in %s', (text) => {
    expect(spanText(text)).toBeNull();
  });

  test.each([
    ['{"messages":[]}', '[]'],
    ['{ "messages" :\n[ "]" , "\\"]" ] , "a" : [1] }', '[ "]" , "\\"]" ]'],
    ['{"a":{"messages":[1]},"messages":[{"messages":[2]}]}', '[{"messages":[2]}]'],
    ['\ufeff{"messages":["ü"]}', '["ü"]'],
  ])('the outline of %j finds %s', (text, found) => {
    expect(spanText(text)).toBe(found);
  });

  test('the outline counts a repeated field as often as it appears', () => {
    const { span } = outline('{"messages":[{"role":"user","content":"long","content":"x"}]}');
    expect(span?.strings).toBe(6);
  });

  const limits = { depth: 3, keys: 3, items: 3, values: 12 };
  test.each([
    ['[[[0]]]', null],
    ['[[[[]]]]', 'is nested deeper than 3 levels'],
    ['{"a":{"b":{"c":0}}}', null],
    ['{"a":[{"b":0},{"c":0}],"d":0}', 'has more than 3 keys'],
    ['{"a":0,"a":0,"a":0,"a":0}', 'has more than 3 keys'],
    ['[{"role":0,"content":0,"a":0},{"role":0,"b":0,"c":0}]', null],
    ['[{"role":0,"content":0,"a":0},{"role":0,"b":0,"c":0},{"d":0}]', 'has more than 3 keys'],
    ['{"role":0,"content":0,"type":0,"text":0}', 'has more than 3 keys'],
    ['{"a":"x:y:z","b":":","c":"\\":"}', null],
    ['[0,0,0]', null],
    ['[[0,0],[0,0],[0,0]]', null],
    ['[0,0,0,0]', 'has an array of more than 3 items'],
    ['{"a":[0,0,0],"b":[0,0,[1,2,3]]}', null],
    ['[[0,0,0],[0,0,0],[0,0,[0]]]', 'has more than 12 values'],
  ])('the outline of %s reports what exceeds the limits', (text, excess) => {
    expect(outline(text, limits).excess).toBe(excess);
  });

  test('the outline counts the values of any text', () => {
    const filled = fc.jsonValue().filter((value) => !/\{\}|\[\]/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(filled, (value) => {
        expect(outline(JSON.stringify(value)).values).toBe(valuesIn(value));
      }),
    );
  });
});

import { expect, test } from 'vitest';
import { mayHaveExactNumbers, parseExact, putExactNumbers, takeExactNumbers } from './exact-numbers.ts';
import { parseBody } from './parse-json.ts';

const id = '2512292042121000001';

test('a long whole number is written with the digits that it was parsed with', () => {
  const text = `{"a":[${id},-${id}],"b":{"c":${id}},"d":9007199254740991}`;
  expect(JSON.stringify(parseExact(text))).toBe(text);
});

test('other numbers are numbers as usual', () => {
  const text =
    '{"vector":[0.006929283495992422,-1.2345678901234567e-7],"text":"2512292042121000001","big":1e20,"n":17}';
  expect(mayHaveExactNumbers(text)).toBe(false);
  expect(parseExact(text)).toEqual(JSON.parse(text));
  expect(parseExact(`[0.12345678901234568,9007199254740992,${id}]`)).toEqual([
    0.12345678901234568,
    2 ** 53,
    expect.objectContaining({ rawJSON: id }),
  ]);
});

test('long numbers are taken out of a value and put back', () => {
  const text = `{"a":[{"b":${id}},1],"c":${id}}`;
  const value = parseExact(text);
  const numbers = takeExactNumbers(value);
  expect(value).toEqual(JSON.parse(text));
  const received = structuredClone({ value, numbers });
  putExactNumbers(received.value, received.numbers);
  expect(JSON.stringify(received.value)).toBe(text);
});

test('a body keeps the digits of earlier calls only, and all else stays a number', () => {
  const call = `{"type":"tool_use","input":{"id":${id},"more":[${id}]}}`;
  const { value } = parseBody(
    Buffer.from(`{"seed":${id},"messages":[{"content":[${call}]}],"schema":{"maximum":${id}}}`),
  );
  expect(value).toMatchObject({ seed: Number(id), schema: { maximum: Number(id) } });
  expect(JSON.stringify(value.messages)).toBe(`[{"content":[${call}]}]`);
});

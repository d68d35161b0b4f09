import { expect, test } from 'vitest';
import { problemWith } from './check-arguments.ts';

const schema = {
  type: 'object',
  properties: { expression: { type: 'string' }, pattern: { type: 'string', pattern: '^(a+)+$' } },
  required: ['expression'],
  additionalProperties: false,
};

test.each([
  ['{"expression":"1+1"}', null],
  ['{"expression":1}', /expected string.*at expression/],
  ['{}', /at expression/],
  ['', /at expression/],
  ['{"expression":"1","more":1}', /Unrecognized key/],
  ['[1]', /not a JSON object/],
  ['{"expression":', /not a JSON object/],
])('%s is told as %s', (input, problem) => {
  if (problem === null) expect(problemWith(input, schema)).toBeNull();
  else expect(problemWith(input, schema)).toMatch(problem);
});

test('a regular expression of a server is not run here, and an argument of that name is still known', () => {
  const input = JSON.stringify({ expression: '1', pattern: `${'a'.repeat(40)}!` });
  expect(problemWith(input, schema)).toBeNull();
});

test('a schema that cannot be read is left to its tool', () => {
  expect(problemWith('{"a":1}', { type: 'object', unevaluatedProperties: false })).toBeNull();
  expect(problemWith('7', { type: 'object', unevaluatedProperties: false })).not.toBeNull();
});

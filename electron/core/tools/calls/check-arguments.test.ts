import { expect, test } from 'vitest';
import { problemWith } from '../../chat/rounds.ts';

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
])('%s is reported as %s', (input, problem) => {
  if (problem === null) expect(problemWith(input, schema)).toBeNull();
  else expect(problemWith(input, schema)).toMatch(problem);
});

test('a server’s regular expression is not run here, and an argument named like one is still recognised', () => {
  const input = JSON.stringify({ expression: '1', pattern: `${'a'.repeat(40)}!` });
  expect(problemWith(input, schema)).toBeNull();
});

test.each([
  ['definitions that double the checks', doubling(40), { x: 'y' }],
  ['a definition that contains itself', { properties: { x: { $ref: '#' } } }, { x: 'y' }],
  ['many alternatives for many values', alternatives(500), { x: Array(2000).fill(499) }],
])('a schema of %s is left for its tool to check', (_name, hostile, value) => {
  const before = process.threadCpuUsage();
  expect(problemWith(JSON.stringify(value), { type: 'object', ...hostile })).toBeNull();
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(50);
});

/** Each definition refers twice to the next, which takes 2^levels checks. */
function doubling(levels: number) {
  const $defs: Record<string, object> = { [`d${levels}`]: { type: 'number' } };
  const to = (index: number) => ({ $ref: `#/$defs/d${index}` });
  for (let index = 0; index < levels; index++) $defs[`d${index}`] = { anyOf: [to(index + 1), to(index + 1)] };
  return { properties: { x: to(0) }, $defs };
}

function alternatives(many: number) {
  return {
    properties: {
      x: { type: 'array', items: { anyOf: Array.from({ length: many }, (_, index) => ({ const: index })) } },
    },
  };
}

test('a schema with definitions is checked', () => {
  const schema = { properties: { x: { $ref: '#/$defs/word' } }, $defs: { word: { type: 'string' } } };
  expect(problemWith('{"x":1}', { type: 'object', ...schema })).toMatch(/expected string.*at x/);
});

test('a schema that cannot be parsed is left for its tool to check', () => {
  expect(problemWith('{"a":1}', { type: 'object', unevaluatedProperties: false })).toBeNull();
  expect(problemWith('7', { type: 'object', unevaluatedProperties: false })).not.toBeNull();
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallReader, maxCalls } from './turn.ts';

const delta = (index: number, fields: { id?: string; name?: string; arguments?: string }) => {
  const { id, ...fn } = fields;
  return { index, ...(id === undefined ? {} : { id }), type: 'function' as const, function: fn };
};

test('fragments of several tool calls are joined in the order in which the calls began', () => {
  const read = createCallReader();
  read([delta(0, { id: 'a', name: 'one', arguments: '{"x"' }), delta(1, { id: 'b', name: 'two' })]);
  expect(read([delta(1, { arguments: '{}' }), delta(0, { arguments: ':1}' })])).toEqual([
    { id: 'a', name: 'one', arguments: '{"x":1}' },
    { id: 'b', name: 'two', arguments: '{}' },
  ]);
});

test('tool calls that share an index are distinguished by their ids', () => {
  const read = createCallReader();
  read([delta(0, { id: 'a', name: 'read', arguments: '{"path":"a"}' })]);
  expect(read([delta(0, { id: 'b', name: 'read', arguments: '{"path":"b"}' })]).map((call) => call.arguments)).toEqual([
    '{"path":"a"}',
    '{"path":"b"}',
  ]);
});

test('tool calls that are numbered from one have no empty call before them', () => {
  expect(createCallReader()([delta(1, { id: 'a', name: 'one' })])).toEqual([{ id: 'a', name: 'one', arguments: '' }]);
});

test('any number is allowed as the index of a tool call, and calls above the limit are dropped', () => {
  const index = fc.oneof(fc.double(), fc.maxSafeInteger(), fc.constantFrom(20_000_000, 4_000_000_000, -1, 1e308, 0.5));
  fc.assert(
    fc.property(fc.array(index, { maxLength: 300 }), (indexes) => {
      const calls = createCallReader()(indexes.map((each, at) => delta(each, { id: `c${at}`, name: 'n' })));
      expect(calls).toHaveLength(Math.min(indexes.length, maxCalls));
      expect(Object.keys(calls)).toHaveLength(calls.length);
    }),
  );
});

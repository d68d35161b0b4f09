import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallsInTurn } from './calls-in-turn.ts';
import type { DeltaPart } from './stream-writer.ts';

const start = (index: number): DeltaPart => ({ type: 'tool-call-start', index, id: `call_${index}`, name: 'look' });
const delta = (index: number, text: string): DeltaPart => ({ type: 'tool-call-delta', index, arguments: text });
const text = (words: string): DeltaPart => ({ type: 'text-delta', text: words });

function inTurn(parts: readonly DeltaPart[]): DeltaPart[] {
  const calls = createCallsInTurn();
  return [...parts.flatMap((part) => calls.add(part)), ...calls.rest()];
}

/** Lists the items in the order in which they open. Consecutive parts of the same item are listed once. */
const opened = (parts: readonly DeltaPart[]) =>
  parts
    .map((part) => ('index' in part ? `call ${part.index}` : part.type))
    .filter((name, index, names) => name !== names[index - 1]);

test('parts that come in order are passed on at once', () => {
  const parts = [text('So:'), start(0), delta(0, '{"a":'), delta(0, '1}'), start(1), delta(1, '{}'), text('Done.')];
  const calls = createCallsInTurn();
  expect(parts.map((part) => calls.add(part))).toEqual(parts.map((part) => [part]));
  expect(calls.rest()).toEqual([]);
});

test('however a server mixes its tool calls, each is passed on complete and nothing is lost', () => {
  const call = fc.array(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 4 });
  const choice = fc.array(fc.nat(9), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), choice, (texts, choices) => {
      const queues = texts.map((pieces, index) => {
        const json = JSON.stringify(pieces);
        return [start(index), ...[...json].map((letter) => delta(index, letter))];
      });
      const mixed: DeltaPart[] = [];
      while (queues.some((queue) => queue.length > 0)) {
        const left = queues.filter((queue) => queue.length > 0);
        const next = left[(choices[mixed.length % choices.length] ?? 0) % left.length]?.shift();
        if (next) mixed.push(next);
      }
      const given = inTurn(mixed);
      expect(opened(given)).toHaveLength(texts.length);
      for (const index of texts.keys()) {
        const partsOfCall = (parts: readonly DeltaPart[]) =>
          parts.filter((part) => 'index' in part && part.index === index);
        expect(partsOfCall(given)).toEqual(partsOfCall(mixed));
      }
    }),
  );
});

test('a tool call that goes on after its end is refused, unless only blanks follow', () => {
  const parts = [start(0), delta(0, '{}'), start(1), delta(1, '{'), delta(0, ' ')];
  expect(inTurn(parts)).toEqual(parts.slice(0, -1));
  expect(() => inTurn([...parts, delta(0, '"b":2}')])).toThrow(
    expect.objectContaining({ code: 'upstream_bad_response' }),
  );
});

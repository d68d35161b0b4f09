import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCollector } from '../../api/chat/collect-answer.ts';
import type { ProviderEvent } from '../provider.ts';
import { MessageReader } from './anthropic.ts';

/** A message must give the same result whether it arrives non-streaming or as a stream that is split anywhere. */

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const block = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('thinking' as const), thinking: text, signature: fc.stringMatching(/^[a-z]{4,9}$/) }),
  fc.record({ type: fc.constant('redacted_thinking' as const), data: fc.stringMatching(/^[a-z]{4,9}$/) }),
  fc.record({
    type: fc.constant('tool_use' as const),
    id: fc.stringMatching(/^toolu_[a-z]{4}$/),
    name: fc.constantFrom('find', 'look'),
    input: fc.dictionary(text, fc.oneof(text, fc.integer())),
  }),
);
const stopReason = fc.constantFrom('end_turn', 'max_tokens', 'tool_use', 'refusal', 'stop_sequence');
const usage = fc.record({
  input_tokens: fc.nat(9_999),
  output_tokens: fc.nat(9_999),
  cache_read_input_tokens: fc.nat(99),
});

type Block = typeof block extends fc.Arbitrary<infer One> ? One : never;

function toDeltas(block: Block, cut: number): object[] {
  const both = (whole: string, delta: (piece: string) => object) =>
    [whole.slice(0, cut), whole.slice(cut)].map((piece) => delta(piece));
  switch (block.type) {
    case 'text':
      return both(block.text, (piece) => ({ type: 'text_delta', text: piece }));
    case 'thinking':
      return [
        ...both(block.thinking, (thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'tool_use':
      return both(JSON.stringify(block.input), (partial_json) => ({ type: 'input_json_delta', partial_json }));
    case 'redacted_thinking':
      return [];
  }
}

const empty = (block: Block): object => {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
};

function collected(events: readonly ProviderEvent[]) {
  const collector = createCollector();
  const rest: ProviderEvent[] = [];
  for (const event of events) {
    if (event.type === 'start' || event.type === 'usage' || event.type === 'search' || event.type === 'finish')
      rest.push(event);
    else collector.add(event);
  }
  const { toolCalls, ...joined } = collector.result();
  const calls = toolCalls.map((call) => ({
    ...call,
    function: { ...call.function, arguments: JSON.parse(call.function.arguments) },
  }));
  return {
    ...joined,
    calls,
    last: rest.filter(({ type }) => type === 'usage').at(-1),
    finish: rest.at(-1),
    first: rest[0],
  };
}

test('a non-streaming message gives the same result as its stream', () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 6 }),
      stopReason,
      usage,
      fc.nat(20),
      (content, stop_reason, counts, cut) => {
        const message = { id: 'msg_1', type: 'message', role: 'assistant', content, stop_reason, usage: counts };
        const events = [
          {
            type: 'message_start',
            message: { ...message, content: [], stop_reason: null, usage: { ...counts, output_tokens: 1 } },
          },
          ...content.flatMap((block, index) => [
            { type: 'content_block_start', index, content_block: empty(block) },
            ...toDeltas(block, cut).map((delta) => ({ type: 'content_block_delta', index, delta })),
            { type: 'content_block_stop', index },
          ]),
          { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: counts.output_tokens } },
          { type: 'message_stop' },
        ];
        const reader = new MessageReader('claude-x');
        const streamed = events.flatMap((event) => reader.read(JSON.stringify(event)));
        expect(collected(new MessageReader('claude-x').readWhole(message))).toEqual(collected(streamed));
      },
    ),
  );
});

test('an error in place of a message fails with that error', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  expect(() => new MessageReader('claude-x').readWhole(error)).toThrow(
    expect.objectContaining({ code: 'upstream_overloaded' }),
  );
});

test('a message without a stop reason has no finish event', () => {
  const events = new MessageReader('claude-x').readWhole({
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: null,
  });
  expect(events.map(({ type }) => type)).not.toContain('finish');
});

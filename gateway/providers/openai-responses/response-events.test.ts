import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProviderEvent } from '../provider.ts';
import { streamEvents } from '../upstream/event-stream.ts';
import { ResponseReader } from './response-events.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const name = fc.constantFrom('find', 'look');
const callId = fc.stringMatching(/^call_[a-z]{4}$/);
const item = fc.oneof(
  fc.record({ type: fc.constant('message'), text, kind: fc.constantFrom('output_text', 'refusal') }),
  fc.record({ type: fc.constant('reasoning'), text, data: fc.stringMatching(/^[a-z]{4}$/) }),
  fc.record({ type: fc.constant('function_call'), text, call_id: callId, name }),
  fc.record({ type: fc.constant('custom_tool_call'), text, call_id: callId, name }),
);
type Item = typeof item extends fc.Arbitrary<infer One> ? One : never;

function wholeItem(item: Item, index: number): object {
  switch (item.type) {
    case 'message':
      return {
        type: 'message',
        content: [{ type: item.kind, [item.kind === 'refusal' ? 'refusal' : 'text']: item.text }],
      };
    case 'reasoning':
      return {
        type: 'reasoning',
        id: `rs_${index}`,
        encrypted_content: item.data,
        summary: [{ type: 'summary_text', text: item.text }],
      };
    default:
      return { ...item, [item.type === 'function_call' ? 'arguments' : 'input']: item.text };
  }
}

const toDelta: Readonly<Record<string, string>> = {
  output_text: 'response.output_text.delta',
  refusal: 'response.refusal.delta',
  reasoning: 'response.reasoning_summary_text.delta',
  function_call: 'response.function_call_arguments.delta',
  custom_tool_call: 'response.custom_tool_call_input.delta',
};

function streamed(items: readonly Item[], cut: number, end: object): string[] {
  const events = items.flatMap((item, output_index) => {
    const done = wholeItem(item, output_index);
    const type = toDelta['kind' in item && item.kind ? item.kind : item.type];
    const pieces = [item.text.slice(0, cut), item.text.slice(cut)];
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...done, content: [], summary: [], arguments: '', input: '' },
      },
      ...pieces.map((delta) => ({ type, output_index, summary_index: 0, delta })),
      { type: 'response.output_item.done', output_index, item: done },
    ];
  });
  return [...events, { type: 'response.completed', response: end }].map((event) => JSON.stringify(event));
}

/** Joins texts and arguments, however they were split into pieces. */
function joined(events: readonly ProviderEvent[]) {
  const result = {
    texts: '',
    thoughts: '',
    refusals: '',
    calls: [] as object[],
    args: [] as string[],
    rest: [] as object[],
  };
  for (const event of events) {
    if (event.type === 'text-delta') result.texts += event.text;
    else if (event.type === 'reasoning-delta') result.thoughts += event.text;
    else if (event.type === 'refusal-delta') result.refusals += event.text;
    else if (event.type === 'tool-call-delta')
      result.args[event.index] = (result.args[event.index] ?? '') + event.arguments;
    else if (event.type === 'tool-call-start') result.calls.push(event);
    else result.rest.push(event);
  }
  return result;
}

const usage = { input_tokens: 5, input_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 }, output_tokens: 3 };

test('a non-streaming response gives the same result as its stream, however the stream is split', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 6 }), fc.nat(20), (items, cut) => {
      const end = { status: 'completed', output: items.map(wholeItem), usage };
      const reader = new ResponseReader('m');
      const parts = streamed(items, cut, end).flatMap((data) => reader.read(data));
      expect(reader.done).toBe(true);
      expect(joined(parts)).toEqual(joined(new ResponseReader('m').readWhole(end)));
    }),
  );
});

const read = (...events: object[]) => {
  const reader = new ResponseReader('gpt-x');
  return events.flatMap((event) => reader.read(JSON.stringify(event)));
};

test.each([
  ['incomplete', { reason: 'max_output_tokens' }, 'length'],
  ['incomplete', { reason: 'content_filter' }, 'content_filter'],
  ['completed', null, 'stop'],
])('a response that is %s because of %j ends with %s, and its usage counts', (status, incomplete_details, reason) => {
  const response = { status, incomplete_details, usage };
  const counted = { promptTokens: 5, completionTokens: 3, cachedTokens: 2, cacheWriteTokens: 1, reasoningTokens: 0 };
  expect(read({ type: `response.${status}`, response })).toEqual([
    { type: 'start' },
    { type: 'usage', usage: counted },
    { type: 'finish', reason },
  ]);
});

test('a response with an error fails with that error, whatever else it contains', () => {
  const response = { status: 'completed', output: [], error: { code: 'server_error', message: 'It broke.' } };
  expect(() => new ResponseReader('gpt-x').readWhole(response)).toThrow(
    expect.objectContaining({ code: 'upstream_error', provider: 'openai' }),
  );
});

test('events after the end of a response are ignored', () => {
  const end = { type: 'response.completed', response: { status: 'completed' } };
  const late = { type: 'response.output_text.delta', output_index: 0, delta: 'late' };
  expect(read(end, late).map(({ type }) => type)).toEqual(['start', 'finish']);
});

test('events that repeat a long answer and many tools stay within the maximum event size', async () => {
  const long = 'word '.repeat(500_000);
  const tools = Array.from({ length: 128 }, (_, index) => ({ name: `f${index}`, enum: Array(200).fill('x') }));
  const output = [{ type: 'message', content: [{ type: 'output_text', text: long }] }];
  const events = [
    { type: 'response.created', response: { status: 'in_progress', tools } },
    { type: 'response.output_text.delta', output_index: 0, delta: long },
    { type: 'response.output_text.done', output_index: 0, text: long },
    { type: 'response.output_item.done', output_index: 0, item: output[0] },
    { type: 'response.completed', response: { status: 'completed', output, tools, usage } },
  ];
  const stream = new Response(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  );
  const result: ProviderEvent[] = [];
  await streamEvents(stream, 'openai', new ResponseReader('m'), (more) => void result.push(...more));
  expect(result.map(({ type }) => type)).toEqual(['start', 'text-delta', 'usage', 'finish']);
});

describe('paragraphs', () => {
  const delta = (type: string, place: object, text: string) => ({
    type: `response.${type}.delta`,
    ...place,
    delta: text,
  });
  test('blank lines separate the parts of a summary and the messages, but not the deltas inside them', () => {
    const result = joined(
      read(
        delta('reasoning_summary_text', { output_index: 0, summary_index: 0 }, 'One'),
        delta('reasoning_summary_text', { output_index: 0, summary_index: 0 }, ' more'),
        delta('reasoning_summary_text', { output_index: 0, summary_index: 1 }, 'Two'),
        delta('output_text', { output_index: 1 }, 'Let me look.'),
        delta('output_text', { output_index: 2 }, 'It is '),
        delta('output_text', { output_index: 2 }, 'warm.'),
      ),
    );
    expect(result).toMatchObject({ thoughts: 'One more\n\nTwo', texts: 'Let me look.\n\nIt is warm.' });
  });
});

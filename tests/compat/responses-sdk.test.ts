import { createOpenAI } from '@ai-sdk/openai';
import { streamText } from 'ai';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import type { TestGatewayOptions } from '../gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../gateway-doubles/recorded-streams.ts';
import { openThreeVendors, streamingUpstream, vendorModels } from '../gateway-doubles/three-vendors.ts';
import { ScriptedCall } from '../gateway-doubles/vendors/scripted-calls.ts';
import type { DoubleOptions } from '../gateway-doubles/vendors/vendor-double.ts';

/**
 * Tests the Responses API with the official `openai` package in front of three vendors, of which only one has this API.
 */

async function open(options: TestGatewayOptions = {}, double: DoubleOptions = {}) {
  const vendors = await openThreeVendors(options, double);
  const client = new OpenAI({
    baseURL: 'http://127.0.0.1/v1',
    apiKey: vendors.key,
    fetch: vendors.fetch,
    maxRetries: 0,
  });
  return { ...vendors, client };
}

const tools = ['one', 'two'].map((name) => ({
  type: 'function' as const,
  name,
  description: `Does ${name}`,
  strict: false,
  parameters: { type: 'object', properties: { a: { type: 'integer' } } },
}));
const asked = {
  instructions: 'Be short.',
  tools,
  reasoning: { effort: 'low' as const, summary: 'auto' as const },
  include: ['reasoning.encrypted_content' as const],
  store: false,
};
/** Returns the next input of a client without a store: everything so far and the results. */
const after = (
  input: OpenAI.Responses.ResponseInput,
  { output }: OpenAI.Responses.Response,
  results: OpenAI.Responses.ResponseInput,
) => [...input, ...output, ...results] as OpenAI.Responses.ResponseInput;
const getCost = (usage: unknown) => (usage as { cost_usd: string }).cost_usd;

describe.each(vendorModels)('%s', (model) => {
  test('gets its tool results, non-streaming and streamed, and costs what the ledger charged', async () => {
    const { client, calls, spent } = await open();
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Call both.' }];

    const first = await client.responses.create({ model, input, ...asked });
    expect(first).toMatchObject({
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      output_text: recordedStreams.text,
      instructions: 'Be short.',
      store: false,
      previous_response_id: null,
      tools,
    });
    const functions = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    expect(functions.map(({ name, arguments: text }) => [name, text])).toEqual([
      ['one', '{"a":1}'],
      ['two', '{}'],
    ]);
    const results = functions.map(({ call_id }) => ({ type: 'function_call_output' as const, call_id, output: 'ok' }));

    const stream = client.responses.stream({ model, input: after(input, first, results), ...asked });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    const second = await stream.finalResponse();
    expect(calls.map(({ refusal }) => refusal)).toEqual([null, null]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []));
    expect(second.output).toMatchObject(done);
    expect(second.output_text).toBe(recordedStreams.text);
    expect([getCost(first.usage), getCost(second.usage)]).toEqual(await spent());
    expect(second.usage).toMatchObject({ input_tokens: 20, output_tokens: 11, total_tokens: 31 });
  });

  test("streams events in OpenAI's order", async () => {
    const { client } = await open();
    const names: string[] = [];
    const stream = await client.responses.create({ model, input: 'Call both.', stream: true, ...asked });
    for await (const { type } of stream) if (type !== names.at(-1)) names.push(type);
    const eventNames = (...kinds: string[]) => kinds.map((kind) => `response.${kind}`);
    const thinking = eventNames(
      ...['output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta'],
      ...['reasoning_summary_text.done', 'reasoning_summary_part.done', 'output_item.done'],
    );
    const call = eventNames(
      ...['output_item.added', 'function_call_arguments.delta', 'function_call_arguments.done', 'output_item.done'],
    );
    const state = eventNames('output_item.added', 'output_item.done');
    // Only the recorded answer of OpenAI's own model cites a source in the middle.
    const cited = model.startsWith('openai/') ? eventNames('output_text.annotation.added', 'output_text.delta') : [];
    expect(names).toEqual([
      ...eventNames('created', 'in_progress'),
      ...thinking,
      ...eventNames('output_item.added', 'content_part.added', 'output_text.delta'),
      ...cited,
      ...eventNames('output_text.done', 'content_part.done', 'output_item.done'),
      ...state,
      ...call,
      ...call,
      'response.completed',
    ]);
  });
});

test("a provider's reasoning state comes back to it in a reasoning item", async () => {
  const { client, calls } = await open();
  const [openai = '', anthropic = '', google = ''] = vendorModels;
  const again = async (model: string) => {
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Call both.' }];
    const answer = await client.responses.create({ model, input, ...asked });
    const results = answer.output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: 'ok' }]
        : [],
    );
    await client.responses.create({ model, input: after(input, answer, results), ...asked });
    return JSON.stringify(calls.at(-1)?.body);
  };
  expect(await again(anthropic)).toContain('{"type":"thinking","thinking":"Hm.","signature":"c2ln"}');
  expect(await again(openai)).toContain('"encrypted_content":"encrypted by gpt-5.4-mini"');
  expect(await again(google)).toContain('"thoughtSignature":"c2ln"');
});

const [begin = '', ...rest] = recordedStreams.openai;

test('a stream that breaks off throws in the client, and ends in an error and a failed event for others', async () => {
  const [model = ''] = vendorModels;
  const { client, post, spent } = await open({ fetch: streamingUpstream(begin, ...rest.slice(0, 2)) });
  const stream = await client.responses.create({ model, input: 'hi', stream: true });
  const read = async () => {
    for await (const _event of stream);
  };
  await expect(read()).rejects.toMatchObject({ code: 'upstream_truncated' });
  const text = await (await post('/v1/responses', { model, input: 'hi', stream: true })).text();
  expect(text).toMatch(/event: error\n.*\n\nevent: response.failed\ndata: .*"status":"failed".*\n\n$/);
  // In both cases the part that was delivered is paid for.
  expect(await spent()).toHaveLength(2);
});

test('an answer that is cut off by its limit is incomplete and contains the reason', async () => {
  const [model = ''] = vendorModels;
  const cut = [begin, ...rest.slice(0, 2), ...rest.slice(-3).map((event) => event.replace('tool_calls', 'length'))];
  const { client } = await open({ fetch: streamingUpstream(...cut) });
  const stream = client.responses.stream({ model, input: 'hi' });
  const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  expect(await stream.finalResponse()).toMatchObject(incomplete);
  const nonStreaming = await client.responses.create({ model, input: 'hi' });
  expect(nonStreaming).toMatchObject({
    ...incomplete,
    output_text: recordedStreams.text,
    output: [{ status: 'incomplete' }],
  });
});

test("the AI SDK's default model uses this API", async () => {
  const { key, fetch } = await open();
  const [, model = ''] = vendorModels;
  const { responses } = createOpenAI({ baseURL: 'http://127.0.0.1/v1', apiKey: key, fetch });
  const result = streamText({ model: responses(model), prompt: 'hi', providerOptions: { openai: { store: false } } });
  expect(await result.text).toBe(recordedStreams.text);
  expect((await result.toolCalls).map(({ toolName }) => toolName)).toEqual(['one', 'two']);
});

test.each(vendorModels)('%s streams the call of a custom tool', async (model) => {
  const loop = () => [new ScriptedCall([/^exec$/, 'print("hi")'])];
  const { client } = await open({}, { loop });
  const stream = client.responses.stream({ model, input: 'Do it.', tools: [{ type: 'custom', name: 'exec' }] });
  let input = '';
  stream.on('event', (event) => {
    if (event.type === 'response.custom_tool_call_input.delta') input += event.delta;
  });
  const { output } = await stream.finalResponse();
  expect(output.at(-1)).toMatchObject({ type: 'custom_tool_call', name: 'exec', input: 'print("hi")' });
  expect(input).toBe('print("hi")');
});

import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { recordedStreams } from '../gateway-doubles/recorded-streams.ts';
import { openThreeVendors, streamingUpstream, vendorModels } from '../gateway-doubles/three-vendors.ts';
import { thoughtThrough, weatherCalls } from '../gateway-doubles/vendors/tool-loops.ts';

/**
 * Tests the Messages API with the official `@anthropic-ai/sdk` package in front of three vendors, of
 * which only one has this API.
 */

async function open(...options: Parameters<typeof openThreeVendors>) {
  const vendors = await openThreeVendors(...options);
  const client = new Anthropic({
    baseURL: 'http://127.0.0.1',
    apiKey: vendors.key,
    fetch: vendors.fetch,
    maxRetries: 0,
  });
  return { ...vendors, client };
}

const asked = {
  max_tokens: 8_000,
  system: 'Be short.',
  thinking: { type: 'enabled' as const, budget_tokens: 5_000 },
  tools: ['one', 'two'].map((name) => ({
    name,
    description: `Does ${name}`,
    input_schema: { type: 'object' as const, properties: { a: { type: 'integer' } } },
  })),
};
const question: Anthropic.MessageParam = { role: 'user', content: 'Call both.' };

/** Returns the conversation with the answer and the results of its calls added. */
function continued(messages: Anthropic.MessageParam[], { content }: Anthropic.Message): Anthropic.MessageParam[] {
  const results = content.flatMap((block) =>
    block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'warm' }] : [],
  );
  return [...messages, { role: 'assistant', content }, { role: 'user', content: results }];
}
const getText = ({ content }: Anthropic.Message) =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
/** Reads the cost from a non-streaming answer, or from the event that ends a streamed one. */
const getCost = ({ usage }: { usage: unknown }) => (usage as { cost_usd: string }).cost_usd;

test.each(vendorModels)(
  '%s gets its tool results, non-streaming and streamed, and costs what the ledger charged',
  async (model) => {
    const { client, calls, spent } = await open();
    const first = await client.messages.create({ model, messages: [question], ...asked });
    expect(first).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'tool_use', stop_sequence: null });
    expect(first._request_id).toMatch(/^req_/);
    const uses = first.content.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.input]] : []));
    expect(uses).toEqual([
      ['one', { a: 1 }],
      ['two', {}],
    ]);

    const stream = client.messages.stream({ model, messages: continued([question], first), ...asked });
    const blocks: Anthropic.ContentBlock[] = [];
    stream.on('contentBlock', (block) => blocks.push(block));
    const costs: string[] = [];
    stream.on('streamEvent', (event) => event.type === 'message_delta' && costs.push(getCost(event)));
    const second = await stream.finalMessage();
    expect(calls.map(({ refusal }) => refusal)).toEqual([null, null]);
    expect(second.content).toEqual(blocks);
    expect([getText(first), getText(second)]).toEqual([recordedStreams.text, recordedStreams.text]);
    expect([getCost(first), ...costs]).toEqual(await spent());
  },
);

test.each(['anthropic/claude-sonnet-5', 'openai/gpt-5.4', 'google/gemini-3.8-flash'])(
  '%s keeps its reasoning through a tool loop, streamed',
  async (model) => {
    const { client, calls } = await open({}, { loop: () => weatherCalls });
    const { tools, max_tokens, system } = asked;
    const thinking = { type: 'adaptive' as const, display: 'summarized' as const };
    const ask = (messages: Anthropic.MessageParam[]) =>
      client.messages.stream({ model, messages, tools, max_tokens, system, thinking }).finalMessage();
    let messages: Anthropic.MessageParam[] = [question];
    for (const _call of weatherCalls) {
      const answer = await ask(messages);
      expect(answer.content.map(({ type }) => type)).toEqual([expect.stringContaining('thinking'), 'tool_use']);
      messages = continued(messages, answer);
    }
    expect(getText(await ask(messages))).toBe(thoughtThrough);
    expect(calls.map(({ refusal }) => refusal)).toEqual([null, null, null]);
  },
);

test('tokens are counted, models listed and betas accepted', async () => {
  const { client, key, fetch } = await open();
  const [model = ''] = vendorModels;
  const { input_tokens } = await client.messages.countTokens({ model, messages: [question], tools: asked.tools });
  expect(input_tokens).toBeGreaterThan(0);
  const listed: string[] = [];
  for await (const { id } of client.models.list()) listed.push(id);
  expect(listed).toEqual(expect.arrayContaining(vendorModels));
  const bearer = new Anthropic({ baseURL: 'http://127.0.0.1', apiKey: null, authToken: key, fetch, maxRetries: 0 });
  const betas = ['context-1m-2025-08-07'];
  const answer = await bearer.beta.messages.create({ model, max_tokens: 5, betas, messages: [question] });
  expect(answer).toMatchObject({ type: 'message', role: 'assistant' });
});

test.each([1, 7, 1000])('models are listed in pages of %i, each once and with the same fields', async (limit) => {
  const { client } = await open();
  const all = (await client.models.list()).data;
  const listed: Anthropic.ModelInfo[] = [];
  for await (const model of client.models.list({ limit })) {
    listed.push(model);
    if (listed.length > all.length) break;
  }
  expect(listed).toEqual(all);
  for (const model of listed) {
    expect(model).toMatchObject({ type: 'model', display_name: expect.stringMatching(/./) });
    expect(new Date(model.created_at).toISOString()).toBe(model.created_at);
  }
  expect(await client.models.retrieve('claude-sonnet-4-5')).toMatchObject({ type: 'model' });
  const [, , third] = all;
  const before = await client.models.list({ limit: 2, before_id: third?.id ?? '' });
  expect([before.data, before.has_more]).toEqual([all.slice(0, 2), false]);
  await expect(client.models.list({ after_id: 'nothing' })).rejects.toBeInstanceOf(Anthropic.BadRequestError);
});

test("errors have the SDK's own classes", async () => {
  const { client, fetch, gateway } = await open();
  const [model = ''] = vendorModels;
  const poor = await gateway.operator.createAccount({ name: 'Poor' });
  const { key: poorKey } = await gateway.operator.createKey({ accountId: poor.id, scopes: ['chat'] });
  const clientWith = (apiKey: string) => new Anthropic({ baseURL: 'http://127.0.0.1', apiKey, fetch, maxRetries: 0 });
  const ask = (own: Anthropic, more: object = {}) =>
    own.messages.create({ model, max_tokens: 5, messages: [question], ...more });
  const failures: [() => Promise<unknown>, unknown, object][] = [
    [() => ask(clientWith('sk-none')), Anthropic.AuthenticationError, { status: 401, type: 'authentication_error' }],
    [() => ask(clientWith(poorKey)), Anthropic.APIError, { status: 402, type: 'billing_error' }],
    [() => ask(client, { model: 'openai/nothing' }), Anthropic.NotFoundError, { status: 404, type: 'not_found_error' }],
    [() => ask(client, { max_tokens: 0 }), Anthropic.BadRequestError, { status: 400, type: 'invalid_request_error' }],
  ];
  for (const [failing, kind, fields] of failures) {
    const error = await failing().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ ...fields, requestID: expect.stringMatching(/^req_/) });
  }
});

test('a stream that breaks off throws', async () => {
  const [begin = '', ...rest] = recordedStreams.openai;
  const events = [begin, ...rest.slice(0, 2)].join('');
  const { client } = await open({
    fetch: streamingUpstream(events),
  });
  const stream = client.messages.stream({ model: 'openai/gpt-4.1', max_tokens: 5, messages: [question] });
  await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { completionResponse } from '#shared/wire/chat-response.ts';
import { quote } from '#shared/wire/quote.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { openUpstream, streamReply, type Upstream } from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';

/** Web search by each provider's own tool: requested in the provider's format, answered in OpenAI's, and charged to the nano-dollar. */

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const [before, cited] = ['Ja: ', 'Grüße, 世界 sagt man.'];
const page = { url: 'https://example.com/greetings', title: 'Greetings' };

const anthropicBlock = (index: number, content_block: object, ...deltas: object[]) => [
  event({ type: 'content_block_start', index, content_block }),
  ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
  event({ type: 'content_block_stop', index }),
];
const location = { ...page, type: 'web_search_result_location', cited_text: 'Hello', encrypted_index: 'RW5j' };
const input = { type: 'input_json_delta', partial_json: '{"query":"greetings"}' };
const anthropic = [
  event({ type: 'message_start', message: { usage: { input_tokens: 100, output_tokens: 1 } } }),
  ...anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: before }),
  ...anthropicBlock(1, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }, input),
  ...anthropicBlock(2, {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ ...page, type: 'web_search_result', encrypted_content: 'RW5j', page_age: null }],
  }),
  ...anthropicBlock(
    3,
    { type: 'text', text: '', citations: [] },
    { type: 'citations_delta', citation: location },
    { type: 'text_delta', text: cited },
  ),
  event({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { input_tokens: 6_100, output_tokens: 40, server_tool_use: { web_search_requests: 2 } },
  }),
  event({ type: 'message_stop' }),
].join('');

const annotation = {
  ...page,
  type: 'url_citation',
  start_index: before.length,
  end_index: before.length + cited.length,
};
const openAiText = { item_id: 'msg_1', output_index: 2, content_index: 0 };
const search = (id: string, action: object) => ({ id, type: 'web_search_call', status: 'completed', action });
const done = (output_index: number, item: object) => event({ type: 'response.output_item.done', output_index, item });
const openai = [
  event({ type: 'response.created', response: { status: 'in_progress' } }),
  done(0, search('ws_1', { type: 'search', queries: ['greetings'] })),
  done(1, search('ws_2', { type: 'open_page', url: page.url })),
  event({ type: 'response.output_text.delta', ...openAiText, delta: before }),
  event({ type: 'response.output_text.delta', ...openAiText, delta: cited }),
  event({ type: 'response.output_text.annotation.added', ...openAiText, annotation_index: 0, annotation }),
  event({
    type: 'response.completed',
    response: { status: 'completed', output: [], usage: { input_tokens: 6_100, output_tokens: 40 } },
  }),
].join('');

const getBytes = (text: string) => Buffer.byteLength(text);
const google = [
  event({ candidates: [{ content: { parts: [{ text: before }] } }] }),
  event({ candidates: [{ content: { parts: [{ text: cited }] } }] }),
  event({
    candidates: [
      {
        content: { parts: [] },
        finishReason: 'STOP',
        groundingMetadata: {
          webSearchQueries: ['greetings', 'hello'],
          groundingChunks: [{ web: { uri: page.url, title: page.title } }],
          groundingSupports: [
            {
              segment: { startIndex: getBytes(before), endIndex: getBytes(before + cited) },
              groundingChunkIndices: [0],
            },
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 6_100, candidatesTokenCount: 40 },
  }),
].join('');

let upstream: Upstream;
beforeAll(async () => {
  upstream = await openUpstream((call, response) => {
    const answer = call.path.startsWith('/v1/messages') ? anthropic : call.path.startsWith('/v1beta') ? google : openai;
    return streamReply(answer)(call, response);
  });
});
afterAll(() => upstream.close());

async function open() {
  const given = { apiKey: new Secret('platform-key'), baseUrl: upstream.origin };
  const opened = await openTestGateway({
    providers: { anthropic: given, google: given, openai: { ...given, baseUrl: `${upstream.origin}/v1` } },
  });
  const ask = async (model: string, more: object = {}) => {
    const messages = [{ role: 'user', content: 'How do people greet?' }];
    const body = { model, messages, web_search_options: {}, ...more };
    const quoted = quote.parse(await (await opened.post('/v1/quote', body)).json());
    const answer = completionResponse.parse(await (await opened.post('/v1/chat/completions', body)).json());
    const [record] = requestList.parse(await (await opened.call('/v1/requests')).json()).data;
    const { ok, checks } = await opened.gateway.operator.checkLedger();
    expect({ ok, problems: checks.flatMap(({ problems }) => problems) }).toEqual({ ok: true, problems: [] });
    return { quoted, answer, record, sent: upstream.calls.at(-1)?.body };
  };
  return { ...opened, ask };
}

test.each([
  {
    model: 'anthropic/claude-haiku-4-5',
    asks: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }] },
    // A million tokens cost $1 in and $5 out, and a thousand searches $10.
    searches: 2,
    cost: '0.0263',
  },
  {
    model: 'openai/gpt-5.4-mini',
    asks: {
      tools: [{ type: 'web_search', user_location: { type: 'approximate' } }],
      max_tool_calls: 5,
    },
    searches: 1,
    cost: null,
  },
  { model: 'google/gemini-2.5-flash', asks: { tools: [{ googleSearch: {} }] }, searches: 1, cost: '0.03693' },
])('$model searches, cites what it found and is charged for each search', async ({ model, asks, searches, cost }) => {
  const { ask } = await open();
  const { quoted, answer, record, sent } = await ask(model);
  expect(sent).toMatchObject(asks);
  expect(answer.choices[0]?.message).toMatchObject({
    content: before + cited,
    annotations: [
      {
        type: 'url_citation',
        url_citation: { ...page, start_index: before.length, end_index: (before + cited).length },
      },
    ],
  });
  expect(answer.usage).toMatchObject({
    prompt_tokens: 6_100,
    completion_tokens: 40,
    server_tool_use: { web_search_requests: searches },
  });
  expect(record).toMatchObject({ web_searches: searches, estimated: false });
  const price = Number(record?.price?.web_search);
  expect(Number(record?.cost_usd)).toBeGreaterThan(price * searches);
  if (cost !== null) expect(record?.cost_usd).toBe(cost);
  // The upper bound includes each search and the text that it may find.
  expect(quoted.tokens.searches?.high).toBeGreaterThanOrEqual(searches);
  expect(Number(quoted.cost_usd.high)).toBeGreaterThan(Number(record?.cost_usd));
});

test('the user’s location is sent to providers that can use it', async () => {
  const { ask } = await open();
  const approximate = { city: 'Köln', country: 'DE' };
  const web_search_options = { search_context_size: 'low', user_location: { type: 'approximate', approximate } };
  const claude = await ask('anthropic/claude-haiku-4-5', { web_search_options });
  expect(claude.sent).toMatchObject({ tools: [{ user_location: { type: 'approximate', ...approximate } }] });
  const gpt = await ask('openai/gpt-5.4-mini', { web_search_options });
  expect(gpt.sent).toMatchObject({
    tools: [{ search_context_size: 'low', user_location: { type: 'approximate', ...approximate } }],
  });
});

test('an answer of /chat has its sources too, streamed or not', async () => {
  const { post } = await open();
  const body = { prompt: 'How do people greet?', model: 'anthropic/claude-haiku-4-5', web_search_options: {} };
  const completion = await (await post('/chat', body)).json();
  expect(completion).toMatchObject({
    text: before + cited,
    tokens: { web_searches: 2 },
    annotations: [{ url_citation: page }],
  });
  const events = (await (await post('/chat', { ...body, stream: true })).text()).split('\n\n');
  const last = events.find((text) => text.includes('"done":true')) ?? '';
  expect(JSON.parse(last.slice('data: '.length))).toMatchObject({ annotations: completion.annotations });
});

test.each(['anthropic/claude-haiku-4-5', 'openai/gpt-5.4-mini', 'google/gemini-2.5-flash'])(
  'the Messages API has the same search with %s, and its sources in its own format',
  async (model) => {
    const { post } = await open();
    const user_location = { type: 'approximate', country: 'DE', city: 'Köln' };
    const body = {
      model,
      max_tokens: 1_000,
      messages: [{ role: 'user', content: 'How do people greet?' }],
      tools: [{ type: 'web_search_20260318', name: 'web_search', max_uses: 3, user_location }],
    };
    const whole = await (await post('/v1/messages', body)).json();
    const citation = { type: 'web_search_result_location', ...page };
    expect(whole.content).toMatchObject([{ type: 'text', text: before + cited, citations: [citation] }]);
    expect(whole.usage.server_tool_use.web_search_requests).toBeGreaterThan(0);
    expect(JSON.stringify(whole.warnings)).toContain('max_uses');
    const streamed = await (await post('/v1/messages', { ...body, stream: true })).text();
    expect(streamed).toContain('"type":"citations_delta"');
    // The answer can be sent back as it is.
    const again = [...body.messages, { role: 'assistant', content: whole.content }, { role: 'user', content: 'Go on' }];
    expect((await post('/v1/messages', { ...body, messages: again })).status).toBe(200);
  },
);

test('the Responses API has the same search, and its sources in its own format', async () => {
  const { post } = await open();
  const user_location = { type: 'approximate', country: 'DE', city: null };
  const body = {
    model: 'anthropic/claude-haiku-4-5',
    input: 'How do people greet?',
    store: false,
    tools: [{ type: 'web_search', search_context_size: 'low', user_location }],
  };
  const completion = await (await post('/v1/responses', body)).json();
  expect(upstream.calls.at(-1)?.body.tools).toMatchObject([
    { type: 'web_search_20250305', user_location: { type: 'approximate', country: 'DE' } },
  ]);
  const [part] = completion.output.at(-1).content;
  expect(part).toMatchObject({ type: 'output_text', annotations: [annotation] });
  expect(part.text.slice(annotation.start_index, annotation.end_index)).toBe(cited);
  const events = (await (await post('/v1/responses', { ...body, stream: true })).text())
    .split('\n\n')
    .flatMap((event) => (event.includes('data: {') ? [JSON.parse(event.slice(event.indexOf('data: ') + 6))] : []));
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'response.output_text.annotation.added', annotation_index: 0, annotation }),
  );
  expect(events.at(-1)?.response.output.at(-1).content).toEqual(completion.output.at(-1).content);
});

const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } }];

test('when a request also has functions, Claude and GPT search, and Gemini drops the search with a warning', async () => {
  const { ask } = await open();
  for (const model of ['anthropic/claude-haiku-4-5', 'openai/gpt-5.4-mini']) {
    const { sent, answer } = await ask(model, { tools });
    expect(sent?.tools).toHaveLength(2);
    expect(answer.warnings).toEqual([]);
  }
  const { sent, answer } = await ask('google/gemini-2.5-flash', { tools });
  expect(JSON.stringify(sent?.tools)).not.toContain('googleSearch');
  expect(answer.warnings).toContainEqual(
    expect.objectContaining({ code: 'parameter_dropped', param: 'web_search_options' }),
  );
});

test('a model without web search answers with a warning, and the router takes one that has it', async () => {
  const { post } = await openTestGateway();
  const messages = [{ role: 'user', content: 'Hello' }];
  const ask = async (body: object) =>
    completionResponse.parse(
      await (await post('/v1/chat/completions', { messages, web_search_options: {}, ...body })).json(),
    );
  const echo = await ask({ model: 'sandbox/echo' });
  expect(echo.warnings).toMatchObject([{ code: 'parameter_dropped', param: 'web_search_options' }]);
  expect(echo.usage.server_tool_use).toBeUndefined();
  const routed = await ask({ model: 'router', route: { only: ['sandbox/*'] } });
  expect(`${routed.provider}/${routed.model}`).toBe('sandbox/tools');
  expect(routed.usage.server_tool_use).toEqual({ web_search_requests: 1 });
  const { annotations = [], content } = routed.choices[0]?.message ?? {};
  const quotes = annotations.map(({ url_citation: citation }) => {
    const { start_index, end_index } = citation as { start_index: number; end_index: number };
    return content?.slice(start_index, end_index);
  });
  expect(quotes).toEqual([
    'The first page would say what is asked for.',
    'The second would say it in other words, and when.',
  ]);
});

test('searches that were not asked for are believed only up to the hold', async () => {
  const { ask } = await open();
  const { record, answer } = await ask('anthropic/claude-haiku-4-5', { web_search_options: undefined });
  expect(record?.web_searches).toBe(0);
  expect(answer.warnings).toMatchObject([{ code: 'usage_clamped' }]);
});

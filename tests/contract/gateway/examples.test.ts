import { expect, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { parseUsd } from '#shared/money.ts';
import { Secret } from '../../../gateway/access/auth/secret.ts';
import { getEvents } from '../../gateway-doubles/events-of.ts';
import { openTestGateway } from '../../gateway-doubles/open-test-gateway.ts';

/** The requests that the document shows. A gateway with an OpenAI key answers each of them. */
const question = 'What is the capital of France?';
const messages = [{ role: 'user', content: question }];
const requests = {
  ChatRequest: { provider: 'router', prompt: question, max_tokens: 100 },
  ChatCompletionRequest: { model: 'router', messages, max_tokens: 100 },
  ResponsesRequest: { model: 'router', input: question, max_output_tokens: 100 },
  MessagesRequest: { model: 'router', max_tokens: 100, messages },
  CountTokensRequest: { model: 'router', messages },
  EmbeddingsRequest: {
    model: 'openai/text-embedding-3-small',
    input: ['Paris', 'The capital of France'],
    dimensions: 2,
  },
  CreateKeyRequest: { label: 'ci', scopes: ['chat'], spend_limit_usd: '5' },
  ChangeKeyRequest: { label: 'ci, main branch', spend_limit_usd: null },
};

const usage = { prompt_tokens: 14, completion_tokens: 2, total_tokens: 16 };
const vectors = [
  [0.6, 0.8],
  [0.8, 0.6],
].map((embedding, index) => ({ object: 'embedding', index, embedding }));
const head = { id: 'chatcmpl-1', created: 1, model: 'gpt' };
const choice = (fields: object, finish_reason: string | null) => [{ index: 0, ...fields, finish_reason }];
const toEvent = (fields: object) =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields })}\n\n`;
const streamed = [
  toEvent({ choices: choice({ delta: { role: 'assistant', content: 'Par' } }, null) }),
  toEvent({ choices: choice({ delta: { content: 'is.' } }, null) }),
  toEvent({ choices: choice({ delta: {} }, 'stop') }),
  toEvent({ choices: [], usage }),
  'data: [DONE]\n\n',
].join('');

/** Plays OpenAI: gives one and the same answer, 412 ms later by the gateway's clock. */
function openOpenAi(pass: () => void): typeof fetch {
  return async (input, init) => {
    const url = String(input);
    if (!/\/(chat\/completions|embeddings)$/.test(url)) return new Response(null, { status: 404 });
    pass();
    const { stream } = (await new Response(init?.body).json()) as { stream?: boolean };
    if (url.endsWith('/embeddings'))
      return Response.json({
        object: 'list',
        data: vectors,
        model: 'text',
        usage: { prompt_tokens: 5, total_tokens: 5 },
      });
    if (stream) return new Response(streamed, { headers: { 'content-type': 'text/event-stream' } });
    const message = { role: 'assistant', content: 'Paris.' };
    return Response.json({ ...head, object: 'chat.completion', choices: choice({ message }, 'stop'), usage });
  };
}

/** Replaces the random letters of ids and keys, so that all recordings are alike: the first id ends with 1, the next with 2. */
function withoutRandomness(text: string): string {
  const ids = new Map<string, string>();
  return text
    .replace(/(?<=[a-z][_-])01[0-9A-HJKMNP-TV-Z]{24}/g, (id) => {
      ids.set(id, ids.get(id) ?? `01KA8Z7N4R${String(ids.size + 1).padStart(16, '0')}`);
      return ids.get(id) ?? id;
    })
    .replace(/sk-portico-\w{45}/g, 'sk-portico-…')
    .replace(/sk-portico-\w{4}/g, 'sk-portico-qzoG');
}

/**
 * `npm run examples` writes the file anew. It also changes with the price book and the list of models, because the
 * router chooses by them.
 */
test('the examples of the OpenAPI document are the answers of the gateway', async () => {
  const served = await openTestGateway({
    plan: 'pro',
    balance: '20',
    sandbox: false,
    byokFeeBps: 250,
    providers: { openai: { apiKey: new Secret('platform-key'), baseUrl: 'https://openai.example/v1' } },
    fetch: openOpenAi(() => served.pass(412)),
  });
  const { operator } = served.gateway;
  const get = async (path: string) => (await served.call(path)).json();
  const post = async (path: string, body: object, key = served.key) =>
    (await served.post(path, body, { headers: { authorization: `Bearer ${key}` } })).json();
  const change = async (path: string, body: object) => (await served.post(path, body, { method: 'PATCH' })).json();
  /** Streams an answer and returns the first event that has text. */
  const stream = async (path: string, body: object) => {
    const events = await getEvents(await served.post(path, { ...body, stream: true }));
    return JSON.parse(events.find((event) => event.includes('"Par"')) ?? 'null');
  };
  const poor = await operator.createAccount({ name: 'Poor', plan: 'pro' });
  await operator.grant({ accountId: poor.id, amount: parseUsd('0.00001') });
  const { key: poorKey } = await operator.createKey({ accountId: poor.id, scopes: allScopes });

  const created = await post('/v1/keys', requests.CreateKeyRequest);
  const answers = {
    Embeddings: await post('/v1/embeddings', requests.EmbeddingsRequest),
    ChatChunk: await stream('/chat', requests.ChatRequest),
    ChatCompletion: await post('/v1/chat/completions', requests.ChatCompletionRequest),
    ChatCompletionChunk: await stream('/v1/chat/completions', requests.ChatCompletionRequest),
    Response: await post('/v1/responses', requests.ResponsesRequest),
    ResponseEvent: await stream('/v1/responses', requests.ResponsesRequest),
    Message: await post('/v1/messages', requests.MessagesRequest),
    MessageEvent: await stream('/v1/messages', requests.MessagesRequest),
    TokenCount: await post('/v1/messages/count_tokens', requests.CountTokensRequest),
    Quote: await post('/v1/quote', requests.ChatRequest),
  };
  const chat = await post('/chat', requests.ChatRequest);
  // The records show these two: a chat on the caller's own key, and one that names its model, so that its record is short.
  await post('/chat', { ...requests.ChatRequest, provider: 'openai', byoapi_key: 'sk-own-key-of-the-caller' });
  await post('/chat', { model: 'openai/gpt-5.4-mini', prompt: question, metadata: { purpose: 'chat' } });
  const credits = await get('/credits?limit=2');
  const usageByModel = await get('/v1/usage?group_by=model');
  const records = await get('/v1/requests?limit=1');
  const examples = {
    ...requests,
    ...answers,
    ChatResponse: chat,
    Model: await get('/v1/models/openai/gpt-5.4-mini'),
    ModelList: await get('/v1/models?q=gpt-5.4-mini'),
    PriceHistory: await get('/v1/prices/openai/gpt-5.4-mini'),
    Account: await get('/account'),
    Verification: await post('/v1/auth/verify', {}),
    Credits: credits,
    CreditTransaction: credits.transactions.data[0],
    Usage: usageByModel,
    UsageBucket: usageByModel.data[0],
    RequestList: records,
    Request: await get(`/v1/requests/${records.data[0].id}`),
    ApiKeyList: await get('/v1/keys'),
    CreatedApiKey: created,
    ApiKey: await change(`/v1/keys/${created.id}`, requests.ChangeKeyRequest),
    // The build's version changes with every release.
    Gateway: { ...(await get('/v1')), version: '1.0.0' },
    Liveness: await get('/healthz'),
    JsonWebKeySet: await get('/.well-known/jwks.json'),
    Error: await post('/chat', requests.ChatRequest, poorKey),
    MessagesError: await post('/v1/messages', requests.MessagesRequest, poorKey),
  };
  const file = '../../../gateway/api/openapi/examples.json';
  await expect(`${withoutRandomness(JSON.stringify(examples, null, 2))}\n`).toMatchFileSnapshot(file);
});

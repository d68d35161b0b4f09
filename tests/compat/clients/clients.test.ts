import { spawnSync } from 'node:child_process';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { parseUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';
import { openScriptedUpstream, type Script } from '../../support/scripted-upstream.ts';
import { aiSdkBare, aiSdkCompatible, aiSdkOpenai } from './ai-sdk-clients.ts';
import type { Ask, Client, ClientKind } from './client.ts';
import { curlClient } from './curl-client.ts';
import { langchainClient } from './langchain-client.ts';
import { openaiClient } from './openai-client.ts';
import { startServingGateway } from './serving-gateway.ts';

/**
 * Tests clients that other people wrote, unchanged, against the gateway as an operator starts it. The upstreams are an
 * independent mock of OpenAI's interface and a server whose models fail as their names say.
 */
const hasCurl = spawnSync('curl', ['--version']).status === 0;
const kinds = [openaiClient, aiSdkCompatible, aiSdkOpenai, langchainClient, ...(hasCurl ? [curlClient] : [])];
// Clients spend most of the time waiting before they retry. The tests run concurrently so that these waits overlap.
vi.setConfig({ maxConcurrency: 40, testTimeout: 240_000 });

const mock = new LLMock({ port: 0, host: '127.0.0.1', auth: { apiKeys: ['platform-key'] } });
let upstream: Awaited<ReturnType<typeof openScriptedUpstream>>;
let gateway: Awaited<ReturnType<typeof startServingGateway>>;
let keys: Record<'usual' | 'reader' | 'penniless' | 'withoutChat', string>;

beforeAll(async () => {
  mock.onMessage('capital', { content: 'Paris, and nothing but Paris. 世界 👋' }, { chunkSize: 4 });
  mock.onMessage('picture', { content: 'a red dot' });
  mock.onMessage('where', { content: '{"city":"Rome"}' });
  mock.on(
    { userMessage: 'weather', hasToolResult: false },
    { toolCalls: [{ name: 'weather', arguments: { city: 'Rome' } }] },
  );
  mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is warm in Rome.' });
  const origin = await mock.start();
  upstream = await openScriptedUpstream(kinds.length);
  gateway = await startServingGateway({
    env: { OPENAI_API_KEY: 'platform-key', OPENAI_BASE_URL: `${origin}/v1` },
    config: {
      aliases: { 'fast-code': 'openai/gpt-5.6-sol' },
      providers: { 'openai-compatible': { baseUrl: upstream.baseUrl } },
    },
  });
  const { accountId, key: usual } = await newKey({});
  keys = {
    usual,
    // Reads have their own rate limit for each key, so they get a key of their own.
    reader: (await newKey({ account: accountId })).key,
    penniless: (await newKey({ balance: '0' })).key,
    withoutChat: (await newKey({ scopes: ['models'] })).key,
  };
  const listed = async () => JSON.stringify(await read('/models')).includes('openai-compatible/ok.0');
  await vi.waitUntil(listed, { timeout: 120_000, interval: 500 });
}, 180_000);
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
  await mock.stop();
});

async function newKey({
  balance = '5',
  plan = 'enterprise',
  scopes = allScopes,
  account,
}: {
  balance?: string;
  plan?: string;
  scopes?: readonly Scope[];
  account?: string;
}) {
  const accountId = account ?? (await gateway.operator.createAccount({ name: 'Compat', plan })).id;
  if (!account && balance !== '0') await gateway.operator.grant({ accountId, amount: parseUsd(balance) });
  const { key } = await gateway.operator.createKey({ accountId, scopes });
  return { accountId, key };
}

const read = async (path: string) =>
  (await fetch(`${gateway.baseUrl}${path}`, { headers: { authorization: `Bearer ${keys.reader}` } })).json();

/** Sends a request without a client. */
const post = (
  body: object,
  { key = keys.usual, headers, signal }: { key?: string; headers?: Record<string, string>; signal?: AbortSignal },
) =>
  fetch(`${gateway.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], ...body }),
    ...(signal ? { signal } : {}),
  });

/** Opens a client with a key, and counts the requests that it sends. */
function open(kind: ClientKind, key = keys.usual): { client: Client; sent: () => number } {
  let count = 0;
  const connection = {
    baseUrl: gateway.baseUrl,
    key,
    fetch: (input: RequestInfo | URL, init?: RequestInit) => {
      count += 1;
      return fetch(input, init);
    },
    sent: () => {
      count += 1;
    },
  };
  return { client: kind.open(connection), sent: () => count };
}

const scripted = (script: Script, kind: ClientKind) => `${script}.${kinds.indexOf(kind)}`;
const askScripted = (script: Script, kind: ClientKind): Ask => ({
  model: `openai-compatible/${scripted(script, kind)}`,
  prompt: 'hello',
});

const toFailure = async (kind: ClientKind, work: Promise<unknown>) =>
  work.then(
    () => ({ status: 200, code: 'none' }),
    (error: unknown) => kind.failure(error),
  );

const model = 'openai/gpt-5.4-mini';
const redDot =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** Returns the request bodies that the mock received with these words in the prompt. */
const received = (words: string) =>
  mock
    .getRequests()
    .map(({ body }) => JSON.stringify(body))
    .filter((body) => body.includes(words));

describe.each(kinds)('$name', { concurrent: true }, (kind) => {
  test('chat: reads a non-streaming answer and its usage', async () => {
    const { client, sent } = open(kind);
    const { text, totalTokens } = await client.chat({ model, prompt: 'capital?' });
    expect(text).toBe('Paris, and nothing but Paris. 世界 👋');
    expect(totalTokens).toBeGreaterThan(0);
    expect(sent()).toBe(1);
  });

  test('stream: reads the same answer in pieces, and its usage once', async () => {
    const { client, sent } = open(kind);
    const pieces: string[] = [];
    const { text, totalTokens } = await client.stream({ model, prompt: 'capital?' }, (piece) => pieces.push(piece));
    expect(text).toBe('Paris, and nothing but Paris. 世界 👋');
    expect(pieces.length).toBeGreaterThan(3);
    expect(totalTokens).toBe((await client.chat({ model, prompt: 'capital?' })).totalTokens);
    expect(sent()).toBe(2);
  });

  test('tools: a round trip with arguments and result', async () => {
    const { client, sent } = open(kind);
    const asked: string[] = [];
    const text = await client.toolLoop({ model, prompt: 'weather?' }, (city) => {
      asked.push(city);
      return '30 °C';
    });
    expect([asked, text]).toEqual([['Rome'], 'It is warm in Rome.']);
    expect(sent()).toBe(2);
    expect(received('30 °C').length).toBeGreaterThan(0);
  });

  test('images: the picture arrives byte for byte', async () => {
    const { client } = open(kind);
    const prompt = `picture for ${kind.name}?`;
    expect((await client.chat({ model, prompt, image: redDot })).text).toBe('a red dot');
    expect(received(prompt)).toEqual([expect.stringContaining(redDot)]);
  });

  test('JSON schema: the schema arrives and the answer is parsed as an object', async () => {
    const { client } = open(kind);
    const prompt = `where is ${kind.name}?`;
    expect(await client.structured({ model, prompt })).toMatchObject({ city: 'Rome' });
    const [body = ''] = received(prompt);
    expect(JSON.parse(body)).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { schema: { required: ['city'] } } },
    });
  });

  test('models: lists them, or uses the router by name', async () => {
    const { client } = open(kind);
    if (client.models) expect(await client.models()).toEqual(expect.arrayContaining(['router', model]));
    expect((await client.chat({ model: 'router', prompt: 'capital?' })).text).not.toBe('');
  });

  test.each<[string, Script]>([
    ['breaks off', 'break-after-text'],
    ['ends without its end', 'end-after-text'],
  ])('a stream whose upstream does %s ends in an error, never in a short answer', async (_name, script) => {
    const { client, sent } = open(kind);
    let text = '';
    const read = client.stream(askScripted(script, kind), (piece) => {
      text += piece;
    });
    await expect(read).rejects.toThrow();
    expect([text, sent(), upstream.calls(scripted(script, kind)).length]).toEqual(['Hel', 1, 1]);
  });
});

describe.each(kinds)('$name when it disconnects', { concurrent: true }, (kind) => {
  /** Returns the newest record of a model once the request has been settled. */
  const settled = (name: string) =>
    vi.waitUntil(
      async () => {
        const { data } = (await read(`/requests?model=${name}&limit=1`)) as { data?: RequestRecord[] };
        return data?.[0]?.status === 'running' ? undefined : data?.[0];
      },
      { timeout: 120_000, interval: 1_000 },
    );

  test('in the middle of a stream, closes the connection to the upstream', async () => {
    const { client, sent } = open(kind);
    const abort = new AbortController();
    const name = scripted('hang-after-text', kind);
    const ask = { ...askScripted('hang-after-text', kind), signal: abort.signal };
    let text = '';
    const stopped = client.stream(ask, (piece) => {
      text += piece;
      abort.abort();
    });
    // Some clients end their stream quietly after an abort, others throw.
    await stopped.catch(() => null);
    await upstream.calls(name)[0]?.closed;
    expect(await settled(name)).toMatchObject({ status: 'cancelled', error_code: 'client_closed_request' });
    expect([text, sent(), upstream.calls(name).length]).toEqual(['Hel', 1, 1]);
  });

  test("before the first byte of a non-streaming answer, closes the upstream's connection and is not charged", async () => {
    const { client, sent } = open(kind);
    const abort = new AbortController();
    const name = scripted('hang-at-once', kind);
    const asked = client.chat({ ...askScripted('hang-at-once', kind), signal: abort.signal }).catch(() => 'refused');
    await vi.waitUntil(() => upstream.calls(name).length === 1, { timeout: 120_000 });
    abort.abort();
    expect(await asked).toBe('refused');
    await upstream.calls(name)[0]?.closed;
    expect(await settled(name)).toMatchObject({ status: 'cancelled', cost_usd: '0' });
    expect(sent()).toBe(1);
  });
});

describe.each(kinds)(
  'how often $name sends a request, and how often that reaches the upstream',
  { concurrent: true },
  (kind) => {
    const hello = { model, prompt: 'hello' };

    test.each<[number, string, () => Promise<[string, Ask]>]>([
      [400, 'invalid_value', async () => [keys.usual, { ...hello, temperature: 9 }]],
      [401, 'invalid_api_key', async () => [keys.usual.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')), hello]],
      [402, 'insufficient_credits', async () => [keys.penniless, hello]],
      [403, 'insufficient_scope', async () => [keys.withoutChat, hello]],
      [404, 'model_not_found', async () => [keys.usual, { ...hello, model: 'openai/nothing' }]],
      [413, 'request_too_large', async () => [keys.usual, { ...hello, prompt: 'x'.repeat(26 * 1024 * 1024) }]],
    ])('%i %s: as often as its table lists, without an upstream call', async (status, code, setting) => {
      const [key, ask] = await setting();
      const { client, sent } = open(kind, key);
      expect(await toFailure(kind, client.chat(ask))).toMatchObject({ status, code });
      expect(sent()).toBe(kind.asks(status));
      expect(received('"hello"')).toEqual([]);
    });

    test.each<[number, string, Script]>([
      [400, 'upstream_invalid_request', 'status-400'],
      [429, 'upstream_rate_limited', 'status-429'],
      [502, 'upstream_error', 'status-500'],
      [502, 'upstream_auth_failed', 'status-401'],
      [502, 'upstream_bad_response', 'nonsense'],
      [502, 'upstream_truncated', 'end-without-text'],
      [502, 'upstream_unreachable', 'reset-at-once'],
      [503, 'upstream_overloaded', 'status-503'],
      [503, 'upstream_overloaded', 'status-529'],
    ])(
      '%i %s (upstream: %s): as often as its table lists, with one upstream call each',
      async (status, code, script) => {
        const { client, sent } = open(kind);
        expect(await toFailure(kind, client.chat(askScripted(script, kind)))).toMatchObject({ status, code });
        expect(sent()).toBe(kind.asks(status));
        expect(upstream.calls(scripted(script, kind))).toHaveLength(kind.asks(status));
      },
    );

    test('409 idempotency_in_progress: as often as its table lists, without a further upstream call', async () => {
      const headers = { 'Idempotency-Key': `running-${kinds.indexOf(kind)}` };
      const name = scripted('hang-for-409', kind);
      const leave = new AbortController();
      const ask = { ...askScripted('hang-for-409', kind), headers };
      const first = open(kind)
        .client.chat({ ...ask, signal: leave.signal })
        .catch(() => null);
      await vi.waitUntil(() => upstream.calls(name).length === 1, { timeout: 120_000 });
      const { client, sent } = open(kind);
      const failure = toFailure(kind, client.chat(ask));
      expect(await failure).toMatchObject({ status: 409, code: 'idempotency_in_progress' });
      expect([sent(), upstream.calls(name).length]).toEqual([kind.asks(409), 1]);
      leave.abort();
      await first;
    });

    test('422 idempotency_key_reused: as often as its table lists, without a further upstream call', async () => {
      const headers = { 'Idempotency-Key': `finished-${kinds.indexOf(kind)}` };
      const name = scripted('ok', kind);
      expect((await post({ model: `openai-compatible/${name}`, top_p: 0.5 }, { headers })).status).toBe(200);
      const { client, sent } = open(kind);
      const failure = toFailure(kind, client.chat({ ...askScripted('ok', kind), headers }));
      expect(await failure).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
      expect([sent(), upstream.calls(name).length]).toEqual([kind.asks(422), 1]);
    });

    test('429 concurrency_limit_exceeded: as often as its table lists, without an upstream call', async () => {
      const { key } = await newKey({ plan: 'free' });
      const name = scripted('hang-for-429', kind);
      const leave = new AbortController();
      const ended: unknown[] = [];
      const running = Array.from({ length: 4 }, () =>
        post({ model: `openai-compatible/${name}` }, { key, signal: leave.signal }).then(
          async (answer) => ended.push(answer.status, await answer.text()),
          (error: unknown) => ended.push(error),
        ),
      );
      const four = () => expect({ calls: upstream.calls(name).length, ended }).toEqual({ calls: 4, ended: [] });
      await vi.waitFor(four, { timeout: 120_000 });
      const { client, sent } = open(kind, key);
      const failure = toFailure(kind, client.chat(askScripted('hang-for-429', kind)));
      expect(await failure).toMatchObject({ status: 429, code: 'concurrency_limit_exceeded' });
      expect([sent(), upstream.calls(name).length]).toEqual([kind.asks(429), 4]);
      leave.abort();
      await Promise.all(running);
    });
  },
);

describe('clients that prefer the Responses API (§1.4.9)', () => {
  test.each([langchainClient, aiSdkBare])('$name uses it, non-streaming and streamed', async (kind) => {
    const { client, sent } = open(kind);
    const ask = { model: 'openai/gpt-5.6-sol', prompt: 'capital?' };
    const nonStreaming = await client.chat(ask);
    const pieces: string[] = [];
    const streamed = await client.stream(ask, (piece) => pieces.push(piece));
    for (const { text, totalTokens } of [nonStreaming, streamed]) {
      expect(text).toBe('Paris, and nothing but Paris. 世界 👋');
      expect(totalTokens).toBeGreaterThan(0);
    }
    expect(pieces.length).toBeGreaterThan(1);
    expect(sent()).toBe(2);
  });

  test('@ai-sdk/openai gets the reason for a 402', async () => {
    const { client } = open(aiSdkBare, keys.penniless);
    const failure = await toFailure(aiSdkBare, client.chat({ model, prompt: 'hello' }));
    expect(failure).toEqual({ status: 402, code: 'insufficient_credits' });
  });

  test('@langchain/openai reaches such a model by its alias', async () => {
    const { client } = open(langchainClient);
    expect((await client.chat({ model: 'fast-code', prompt: 'capital?' })).text).toContain('Paris');
    expect(received('gpt-5.6-sol').length).toBeGreaterThan(0);
  });
});

import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { parseUsd } from '#shared/money.ts';
import { Secret } from '../../gateway/access/auth/secret.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { type Listening, listen } from '../../gateway/http/listen.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { recordedStreams } from '../gateway-doubles/recorded-streams.ts';
import { testDatabase, testPepper } from '../gateway-doubles/test-database.ts';
import {
  brokenReply,
  errorReply,
  hangingReply,
  openUpstream,
  streamReply,
  type Upstream,
} from '../gateway-doubles/upstream-server.ts';

/** Tests the official client, unchanged, against a gateway that listens on a port. */
let upstream: Upstream;
let gateway: Gateway;
let listening: Listening;
let client: OpenAI;
let accountKey = '';

beforeAll(async () => {
  upstream = await openUpstream(streamReply(''));
  gateway = await openGateway({
    database: await testDatabase(),
    env: { PORTICO_KEY_PEPPER: testPepper },
    sandboxPace: 0,
    providers: {
      openai: { apiKey: new Secret('platform-key'), baseUrl: `${upstream.origin}/v1` },
      anthropic: { apiKey: new Secret('platform-key'), baseUrl: upstream.origin },
    },
  });
  const account = await gateway.operator.createAccount({ name: 'A', plan: 'pro' });
  await gateway.operator.grant({ accountId: account.id, amount: parseUsd('5') });
  accountKey = (await gateway.operator.createKey({ accountId: account.id, scopes: allScopes })).key;
  listening = await listen(gateway, { port: 0 });
  client = new OpenAI({ apiKey: accountKey, baseURL: `${listening.url}/v1` });
});
afterAll(async () => {
  await listening.close();
  await gateway.close();
  await upstream.close();
});
afterEach(() => {
  upstream.calls.length = 0;
});

const user = (content: string) => [{ role: 'user' as const, content }];

async function newestRequest() {
  const headers = { authorization: `Bearer ${accountKey}` };
  const response = await fetch(`${listening.url}/v1/requests?limit=1`, { headers });
  const { data } = (await response.json()) as { data: { status: string; cost_usd: string }[] };
  return data[0];
}

/** Polls until the request is settled. */
async function settled() {
  // Reads have their own rate limit for each key, so this polls slowly.
  await expect.poll(async () => (await newestRequest())?.status, { interval: 200 }).toMatch(/^(?!running)/);
  return newestRequest();
}

describe('the official openai client', () => {
  test('reads a non-streaming answer, its usage and the request id', async () => {
    const answer = await client.chat.completions.create({ model: 'sandbox/echo', messages: user('Hello, 世界') });
    expect(answer.choices[0]?.message.content).toBe('Hello, 世界');
    expect(answer.usage?.total_tokens).toBeGreaterThan(0);
    expect(answer._request_id).toMatch(/^req_/);
  });

  test('streams', async () => {
    const stream = await client.chat.completions.create({
      model: 'sandbox/tour',
      messages: user('keys'),
      stream: true,
    });
    let text = '';
    let tokens = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      tokens = chunk.usage?.total_tokens ?? tokens;
    }
    expect(text).toContain('keychain');
    expect(tokens).toBeGreaterThan(100);
  });

  test('streams with its helper and gets the usage in a separate chunk', async () => {
    const stream = client.chat.completions.stream({
      model: 'sandbox/echo',
      messages: user('one two'),
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.content).toBe('one two');
    expect(final.usage?.completion_tokens).toBeGreaterThan(0);
  });

  test('runs a complete tool loop', async () => {
    const asked: unknown[] = [];
    const runner = client.chat.completions.runTools({
      model: 'sandbox/tools',
      messages: user('Rome'),
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'weather of a city',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
            parse: JSON.parse,
            function: (input: object) => {
              asked.push(input);
              return '30 °C';
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toContain('30 °C');
    expect(asked).toEqual([{ city: 'Rome' }]);
  });

  test('lists models and retrieves one', async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain('router');
    expect(ids).toContain('sandbox/tour');
    expect((await client.models.retrieve('sandbox/tour')).owned_by).toBe('sandbox');
  });
});

describe('how the client shows failures, and how often it sends a request', () => {
  const ask = (body: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
    client.chat.completions.create({ model: 'openai/gpt-5.4-mini', messages: user('hello'), ...body });

  test('a wrong key', async () => {
    const other = new OpenAI({ apiKey: 'sk-portico-wrong', baseURL: `${listening.url}/v1` });
    await expect(other.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  test('an unknown model', async () => {
    await expect(ask({ model: 'nothing' })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
  });

  test('an invalid field is named in the error', async () => {
    await expect(ask({ temperature: 9 })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_value',
      param: 'temperature',
    });
  });

  test.each([
    [400, 'upstream_invalid_request', 1],
    [401, 'upstream_auth_failed', 3],
    [500, 'upstream_error', 3],
  ])(
    'an upstream %i becomes %s; the client sends %i requests, each with one upstream call',
    async (status, code, calls) => {
      upstream.replyWith(errorReply(status, {}));
      await expect(ask()).rejects.toMatchObject({ code });
      expect(upstream.calls).toHaveLength(calls);
    },
  );

  test('a rate limit is waited for as long as the upstream requests', async () => {
    upstream.replyWith((call, response) => {
      upstream.replyWith(streamReply(recordedStreams.openai.join('')));
      return errorReply(429, {}, { 'retry-after': '0' })(call, response);
    });
    expect((await ask()).choices[0]?.message.content).toBe(recordedStreams.text);
    expect(upstream.calls).toHaveLength(2);
  });

  test('an answer that breaks off in the middle throws with its code', async () => {
    upstream.replyWith(brokenReply(recordedStreams.openai.slice(0, 3).join('')));
    const stream = await client.chat.completions.create({
      model: 'openai/gpt-5.4-mini',
      messages: user('hello'),
      stream: true,
    });
    const read = async () => {
      for await (const _chunk of stream);
    };
    await expect(read()).rejects.toMatchObject({ code: 'upstream_truncated' });
  });
});

describe('a client that disconnects', () => {
  test("in the middle of a stream closes the upstream's connection and pays for what had arrived", async () => {
    upstream.replyWith(hangingReply(recordedStreams.anthropic.slice(0, 8).join('')));
    const stream = await client.chat.completions.create({
      model: 'anthropic/claude-sonnet-5',
      messages: user('hello'),
      stream: true,
    });
    for await (const _chunk of stream) break;
    await upstream.calls[0]?.closed;
    expect(await settled()).toMatchObject({ status: 'cancelled' });
    expect(Number((await newestRequest())?.cost_usd)).toBeGreaterThan(0);
  });

  test.each([true, false])(
    "before the first byte (stream: %j) closes the upstream's connection and pays nothing",
    async (stream) => {
      const abort = new AbortController();
      upstream.replyWith(() => abort.abort());
      const asked = client.chat.completions.create(
        { model: 'openai/gpt-5.4-mini', messages: user('hello'), stream },
        { signal: abort.signal },
      );
      await expect(asked).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
      await upstream.calls[0]?.closed;
      expect(await settled()).toMatchObject({ status: 'cancelled', cost_usd: '0' });
    },
  );
});

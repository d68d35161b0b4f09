import { LLMock } from '@copilotkit/aimock';
import { expect, onTestFinished, test } from 'vitest';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { errorReply, openUpstream, streamReply } from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';
import type { ProviderCredential } from './provider.ts';

const messages = [{ role: 'user', content: 'hi' }];
const path = '/v1/chat/completions';
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
const server = (name: string, more: Partial<ProviderCredential['server']> = {}) => ({
  name,
  kind: 'openai-compatible' as const,
  apiVersion: null,
  ...more,
});
const price = { input: '1', output: '2', cache_read: null, cache_write: null, tiers: [] };

async function upstreamWith(models: readonly string[]) {
  const answer = streamReply(recordedStreams.openai.join(''));
  const list = errorReply(200, { data: models.map((id) => ({ id })) });
  const upstream = await openUpstream((call, response) => (call.method === 'GET' ? list : answer)(call, response));
  onTestFinished(upstream.close);
  return upstream;
}

test('several named servers answer side by side, each with its own key, headers and prices', async () => {
  const [near, far] = [await upstreamWith(['qwen3']), await upstreamWith(['qwen3', 'llama'])];
  const { post, call, gateway } = await openTestGateway({
    providers: {
      near: { apiKey: null, baseUrl: `${near.origin}/v1`, server: server('In the cellar', { kind: 'ollama' }) },
      far: {
        apiKey: new Secret('key-of-far'),
        baseUrl: `${far.origin}/v1/`,
        server: server('In the hall'),
        headers: new Map([
          ['x-tenant', new Secret('blue')],
          ['authorization', new Secret('Bearer somebody-else')],
        ]),
        models: [{ model: 'qwen3', sameAs: null, price }],
      },
    },
  });
  const listed = async () => {
    const { data } = await (await call('/v1/models')).json();
    return data.filter(({ provider }: { provider: string }) => ['near', 'far'].includes(provider));
  };
  await expect
    .poll(async () => (await listed()).map(({ id }: { id: string }) => id))
    .toEqual(['far/llama', 'far/qwen3', 'near/qwen3']);
  const records = await listed();
  expect(records.map(({ pricing }: { pricing: { prompt: string } | null }) => pricing?.prompt ?? null)).toEqual([
    null,
    '0.000001',
    null,
  ]);
  const answer = await (await post(path, { model: 'far/qwen3', messages })).json();
  // The answer has 20 input tokens and 11 output tokens.
  expect(answer).toMatchObject({ provider: 'far', model: 'qwen3', usage: { cost_usd: '0.000042' } });
  expect(far.calls.at(-1)).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer key-of-far', 'x-tenant': 'blue' },
    body: { model: 'qwen3' },
  });
  expect(await gateway.operator.checkLedger()).toMatchObject({ ok: true });
  await post(path, { provider: 'near', model: 'qwen3', messages });
  expect(near.calls.at(-1)?.headers).not.toHaveProperty('authorization');
  gateway.setProvider('far', null);
  expect((await post(path, { model: 'far/qwen3', messages })).status).toBe(404);
  expect((await listed()).map(({ id }: { id: string }) => id)).toEqual(['near/qwen3']);
});

test('a server cannot take a reserved or malformed id, and extra headers are not sent over plain http', async () => {
  const { gateway } = await openTestGateway();
  for (const id of ['openai', 'router', 'sandbox', 'portico', 'Near', 'a/b', '1st', '', 'a'.repeat(33)]) {
    const credential = { apiKey: null, baseUrl: 'http://127.0.0.1:9/v1', server: server('X') };
    expect(() => gateway.setProvider(id, credential), id).toThrow(/cannot be named/);
  }
  const headers = new Map([['x-tenant', new Secret('canary-of-tenant')]]);
  const plain = { apiKey: null, baseUrl: 'http://192.0.2.1/v1', server: server('X'), headers };
  const refused = await gateway.checkProvider('near', plain).catch((error: Error) => error);
  expect(refused).toMatchObject({ code: 'upstream_unreachable', message: expect.stringContaining('needs https') });
  expect(String(refused)).not.toContain('canary');
});

test('an error message contains neither the key nor the value of an extra header', async () => {
  const message = 'you sent canary-of-key and canary-of-tenant';
  const upstream = await openUpstream(errorReply(400, { error: { message } }));
  onTestFinished(upstream.close);
  const { post, entries } = await openTestGateway({
    providers: {
      near: {
        apiKey: new Secret('canary-of-key'),
        baseUrl: upstream.origin,
        server: server('X'),
        headers: new Map([['x-tenant', new Secret('canary-of-tenant')]]),
        models: [{ model: 'm', sameAs: null, price }],
      },
    },
  });
  const body = await (await post(path, { model: 'near/m', messages })).text();
  expect(body).toContain('you sent [redacted] and [redacted]');
  expect(JSON.stringify(entries)).not.toContain('canary');
});

test.each([
  { apiVersion: null, baseUrl: '', chat: '/openai/v1/chat/completions', list: '/openai/v1/models' },
  { apiVersion: null, baseUrl: '/openai/v1/', chat: '/openai/v1/chat/completions', list: '/openai/v1/models' },
  {
    apiVersion: '2024-10-21',
    baseUrl: '/openai',
    chat: '/openai/deployments/my%20small%20one/chat/completions?api-version=2024-10-21',
    list: '/openai/models?api-version=2024-10-21',
  },
])(
  'an Azure deployment has the facts of its model: $baseUrl, $apiVersion',
  async ({ apiVersion, baseUrl, chat, list }) => {
    const upstream = await upstreamWith(['gpt-4o']);
    const credential: ProviderCredential = {
      apiKey: new Secret('key-of-azure'),
      baseUrl: `${upstream.origin}${baseUrl}`,
      server: server('West Europe', { kind: 'azure-openai', apiVersion }),
      models: [{ model: 'my small one', sameAs: 'openai/gpt-5.4-mini', price: null }],
    };
    const { gateway, post, call } = await openTestGateway({ providers: { azure: credential } });
    await gateway.checkProvider('azure', credential);
    expect(upstream.calls.at(-1)).toMatchObject({ method: 'GET', path: list, headers: { 'api-key': 'key-of-azure' } });
    const [own, original] = await Promise.all(
      ['azure/my small one', 'openai/gpt-5.4-mini'].map(async (id) => (await call(`/v1/models/${id}`)).json()),
    );
    expect(own).toMatchObject({ id: 'azure/my small one', status: 'available', model: 'my small one' });
    for (const fact of ['context_length', 'max_output_tokens', 'quality'])
      expect(own[fact], fact).toEqual(original[fact]);
    // Only OpenAI itself has OpenAI's web search.
    const { web_search, ...pricing } = original.pricing;
    expect(web_search).toBe('0.01');
    expect(own.pricing).toEqual(pricing);
    expect(own.capabilities).toEqual(original.capabilities.filter((name: string) => name !== 'web_search'));
    const answer = await post(path, { model: 'azure/my small one', messages, verbosity: 'low', max_tokens: 20 });
    expect(await answer.json()).toMatchObject({ provider: 'azure', model: 'my small one' });
    const { headers = {}, body, path: asked } = upstream.calls.at(-1) ?? {};
    expect(asked).toBe(chat);
    expect(body).toMatchObject({ model: 'my small one', verbosity: 'low', max_completion_tokens: 20 });
    expect([headers['api-key'], headers.authorization]).toEqual(['key-of-azure', undefined]);
    await post(path, { model: 'azure/my small one', messages, tools });
    const byTools = upstream.calls.at(-1);
    expect(byTools?.path).toBe(apiVersion === null ? '/openai/v1/responses' : chat);
    expect([byTools?.headers['api-key'], byTools?.body.model]).toEqual(['key-of-azure', 'my small one']);
  },
);

test('an independent mock of Azure answers with and without an API version', async () => {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' });
  const origin = await mock.start();
  onTestFinished(async () => void (await mock.stop()));
  mock.on({ userMessage: 'hi' }, { content: 'From Azure.' });
  for (const apiVersion of [null, '2024-10-21']) {
    const { post } = await openTestGateway({
      providers: {
        azure: {
          apiKey: new Secret('k-azure'),
          baseUrl: apiVersion ? origin : `${origin}/openai/v1`,
          server: server('Azure', { kind: 'azure-openai', apiVersion }),
          models: [{ model: 'gpt-5.4-mini', sameAs: 'openai/gpt-5.4-mini', price: null }],
        },
      },
    });
    const response = await post(path, { model: 'azure/gpt-5.4-mini', messages });
    const body = await response.json();
    expect(body.choices?.[0]?.message.content, JSON.stringify(body)).toBe('From Azure.');
    const withTools = await (await post(path, { model: 'azure/gpt-5.4-mini', messages, tools })).json();
    expect(withTools.choices?.[0]?.message.content, JSON.stringify(withTools)).toBe('From Azure.');
    expect(mock.getRequests().at(-1)?.path).toContain(apiVersion ? '/chat/completions' : '/responses');
  }
});

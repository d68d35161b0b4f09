import { describe, expect, onTestFinished, test } from 'vitest';
import { isObject } from '#shared/json/foreign-json.ts';
import { modelList } from '#shared/wire/model.ts';
import { errorCode, openTestGateway, type TestGatewayOptions } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { errorReply, openUpstream, type Reply, streamReply } from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';

const lists: Readonly<Record<string, unknown>> = {
  openai: {
    data: [
      ...['gpt-6.4-sol', 'gpt-6-sol', 'gpt-6.4-sol-2026-11-20', 'gpt-4o-2024-08-06', 'gpt-image-3', 'tts-2'],
      ...['whisper-2', 'omni-moderation-latest', 'gpt-realtime-3', 'text-embedding-4-large'],
    ].map((id) => ({ id, object: 'model', created: 1_790_000_000, owned_by: 'openai' })),
  },
  anthropic: {
    data: [
      {
        type: 'model',
        id: 'claude-sonnet-5-8',
        display_name: 'Claude Sonnet 5.8',
        created_at: '2026-11-20T00:00:00Z',
        max_input_tokens: 2_000_000,
        max_tokens: 256_000,
      },
      { type: 'model', id: 'claude-opus-5', display_name: 'Claude Opus 5', created_at: '2026-07-24T00:00:00Z' },
      {
        type: 'model',
        id: 'claude-opus-4-5-20251101',
        display_name: 'Claude Opus 4.5',
        created_at: '2025-11-24T00:00:00Z',
      },
    ],
  },
  google: {
    models: [
      {
        name: 'models/gemini-3.9-flash',
        displayName: 'Gemini 3.9 Flash',
        inputTokenLimit: 2_097_152,
        outputTokenLimit: 131_072,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      },
      { name: 'models/gemini-embedding-003', supportedGenerationMethods: ['embedContent'] },
      { name: 'models/veo-4', supportedGenerationMethods: ['predictLongRunning'] },
    ],
  },
};

const streams: Readonly<Record<string, string>> = {
  openai: recordedStreams.openai.join(''),
  anthropic: recordedStreams.anthropic.join(''),
  google: recordedStreams.google.join(''),
};

const vendorOfPath = (path: string) => path.split('/')[1] ?? '';

const usual: Reply = (call, response) =>
  call.method === 'GET'
    ? errorReply(200, lists[vendorOfPath(call.path)] as object)(call, response)
    : streamReply(streams[vendorOfPath(call.path)] ?? '')(call, response);

async function openVendors({ reply = usual, ...options }: TestGatewayOptions & { reply?: Reply } = {}) {
  const upstream = await openUpstream(reply);
  onTestFinished(upstream.close);
  const apiKey = new Secret('platform-key');
  const paths: Readonly<Record<string, string>> = { openai: '/v1', anthropic: '', google: '' };
  const providers = Object.fromEntries(
    Object.entries(paths).map(([id, path]) => [id, { apiKey, baseUrl: `${upstream.origin}/${id}${path}` }]),
  );
  const opened = await openTestGateway({ plan: 'local', providers, ...options });
  const models = async () => modelList.parse(await (await opened.call('/v1/models')).json()).data;
  return {
    ...opened,
    models,
    find: async (id: string) => (await models()).find((model) => model.id === id),
    gets: () => upstream.calls.filter(({ method }) => method === 'GET').map(({ path }) => path),
    posts: () => upstream.calls.filter(({ method }) => method === 'POST'),
    ask: (model: string, more: object = {}) =>
      opened.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }], ...more }),
  };
}

const refused =
  (status: number, error: object): Reply =>
  (call, response) =>
    call.method === 'GET' ? usual(call, response) : errorReply(status, error)(call, response);

describe('a vendor’s own list', () => {
  test("a vendor's list is fetched when somebody lists models, and only once for many at the same time", async () => {
    const vendors = await openVendors();
    expect(vendors.gets()).toEqual([]);
    await Promise.all([vendors.models(), vendors.models(), vendors.models()]);
    await vendors.models();
    expect(vendors.gets().toSorted()).toEqual([
      '/anthropic/v1/models?limit=1000',
      '/google/v1beta/models?pageSize=1000',
      '/openai/v1/models',
    ]);
    vendors.pass(3_600_000);
    await vendors.models();
    await expect.poll(() => vendors.gets().length).toBe(6);
  });

  test("a vendor's list adds models that the price book lacks, with the facts of the nearest model and no price", async () => {
    const { find } = await openVendors();
    const known = await find('anthropic/claude-sonnet-5-5');
    expect(await find('anthropic/claude-sonnet-5-8')).toMatchObject({
      name: 'Claude Sonnet 5.8',
      kind: 'chat',
      status: 'available',
      pricing: null,
      context_length: 2_000_000,
      max_output_tokens: 256_000,
      capabilities: known?.capabilities,
      supported_parameters: known?.supported_parameters,
      reasoning_efforts: known?.reasoning_efforts,
    });
    expect(await find('openai/gpt-6.4-sol')).toMatchObject({ pricing: null, context_length: 1_050_000 });
    expect(await find('google/gemini-3.9-flash')).toMatchObject({
      pricing: null,
      context_length: 2_097_152,
      max_output_tokens: 131_072,
    });
  });

  test("a vendor's list adds no model that cannot chat, that the book contains, or that is a snapshot of another", async () => {
    const without = await openVendors({ reply: errorReply(500, {}) });
    const book = new Set((await without.models()).map(({ id }) => id));
    const { models } = await openVendors();
    const ids = (await models()).map(({ id }) => id);
    expect(ids.filter((id) => !book.has(id))).toEqual([
      'anthropic/claude-sonnet-5-8',
      'google/gemini-3.9-flash',
      'openai/gpt-6.4-sol',
    ]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("a failed vendor's list leaves the price book's models, and is fetched again after growing waits", async () => {
    const vendors = await openVendors({ reply: errorReply(500, {}) });
    const ids = (await vendors.models()).map(({ id }) => id);
    expect(ids).toContain('anthropic/claude-sonnet-5');
    const asked = () => vendors.gets().filter((path) => path.startsWith('/anthropic')).length;
    expect(asked()).toBe(1);
    for (const [ms, times] of [
      [29_000, 1],
      [1_000, 2],
      [59_000, 2],
      [1_000, 3],
    ] as const) {
      vendors.pass(ms);
      await vendors.models();
      await expect.poll(asked).toBe(times);
    }
  });

  test("a vendor's list that hangs delays no chat", async () => {
    const reply: Reply = (call, response) => (call.method === 'GET' ? undefined : usual(call, response));
    const { models, ask } = await openVendors({ reply });
    const listing = models();
    expect((await ask('anthropic/claude-sonnet-5')).status).toBe(200);
    expect((await listing).length).toBeGreaterThan(10);
  });

  test("a vendor's list is forgotten when the key is removed", async () => {
    const { gateway, find } = await openVendors();
    expect(await find('anthropic/claude-sonnet-5-8')).toBeDefined();
    gateway.setProvider('anthropic', null);
    expect(await find('anthropic/claude-sonnet-5-8')).toBeUndefined();
  });
});

describe('an unlisted model', () => {
  test.each([
    ['anthropic/claude-sonnet-5-9', 'anthropic', 'claude-sonnet-5-9'],
    ['claude-sonnet-5-9', 'anthropic', 'claude-sonnet-5-9'],
    ['claude-sonnet-5-9-20261101', 'anthropic', 'claude-sonnet-5-9-20261101'],
    ['claude-sonnet-5-9[1m]', 'anthropic', 'claude-sonnet-5-9'],
    ['openai/gpt-6.9-sol', 'openai', 'gpt-6.9-sol'],
  ])('the unlisted model %s is called at its vendor', async (name, vendor, asked) => {
    const { ask, posts } = await openVendors();
    const response = await ask(name);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      routing: { selected: `${vendor}/${asked}`, policy: 'direct' },
      usage: { cost_usd: '0' },
    });
    expect(posts().map(({ path, body }) => [vendorOfPath(path), body.model])).toEqual([[vendor, asked]]);
  });

  test('an unlisted model is also called when the request names its provider in a field', async () => {
    const { ask, posts } = await openVendors();
    expect((await ask('gemini-4-flash', { provider: 'google' })).status).toBe(200);
    expect(posts()[0]?.path).toContain('/v1beta/models/gemini-4-flash:');
  });

  test('an unlisted model is fitted by the facts of the nearest known model', async () => {
    const { ask, posts } = await openVendors();
    await ask('claude-opus-5-9', { temperature: 0.5, reasoning_effort: 'high' });
    expect(posts()[0]?.body).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } });
    expect(posts()[0]?.body).not.toHaveProperty('temperature');
  });

  test('an unlisted model is not found when its vendor does not know it', async () => {
    const { ask } = await openVendors({
      reply: refused(404, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-sonnet-5-9' } }),
    });
    const response = await ask('claude-sonnet-5-9');
    expect(response.status).toBe(404);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('model_not_found');
    expect(error.message).toContain('Anthropic has no model "claude-sonnet-5-9"');
  });

  test.each(['claude-nothing', 'gpt-image-3', 'text-embedding-9', 'openai/claude-sonnet-5-9', 'llama-9'])(
    '%s is not found, and no vendor is called',
    async (name) => {
      const { ask, posts } = await openVendors();
      expect(await errorCode(await ask(name))).toBe('model_not_found');
      expect(posts()).toEqual([]);
    },
  );

  test('an unlisted model is not found without a key for its vendor', async () => {
    const { gateway, ask } = await openVendors();
    gateway.setProvider('anthropic', null);
    expect(await errorCode(await ask('claude-sonnet-5-9'))).toBe('model_not_found');
  });

  test.each(['enterprise', 'local'])('an alias of Claude Code works on the plan %s', async (plan) => {
    const { post, posts } = await openVendors({ plan });
    const names = ['claude-sonnet-5-5', 'claude-sonnet-5-5-20260928', 'claude-haiku-5-5', 'claude-fable-5-2[1m]'];
    for (const model of names) {
      const body = { model, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
      const response = await post('/v1/messages', body);
      expect([model, response.status]).toEqual([model, 200]);
    }
    expect(posts().map(({ body }) => body.model)).toEqual([
      ...['claude-sonnet-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-fable-5-2'],
    ]);
  });

  test('an unlisted model works at /v1/messages with the names that Claude Code sends', async () => {
    const { post, posts } = await openVendors();
    for (const model of ['claude-sonnet-5-9', 'claude-haiku-5-9-20261101', 'claude-fable-5-9[1m]']) {
      const body = { model, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
      const response = await post('/v1/messages', body);
      expect([model, response.status]).toEqual([model, 200]);
    }
    expect(posts().map(({ body }) => body.model)).toEqual([
      'claude-sonnet-5-9',
      'claude-haiku-5-9-20261101',
      'claude-fable-5-9',
    ]);
  });
});

describe('a prepaid account', () => {
  test('a prepaid account gets an error that explains that a listed model has no price', async () => {
    const { ask, find, posts } = await openVendors({ plan: 'enterprise' });
    expect(await find('anthropic/claude-sonnet-5-8')).toMatchObject({
      status: 'disabled',
      pricing: null,
      unavailable_reason: expect.stringContaining('No price of it is known'),
    });
    const response = await ask('anthropic/claude-sonnet-5-8');
    expect(response.status).toBe(404);
    const { error } = (await response.json()) as { error: { code: string; message: string; details: unknown } };
    expect(error.code).toBe('no_eligible_model');
    expect(error.message).toContain('gateway prices set');
    expect(error.details).toEqual({
      excluded: [{ id: 'anthropic/claude-sonnet-5-8', excluded: ['price_unknown'] }],
    });
    expect(posts()).toEqual([]);
  });

  test('a prepaid account pays the price that the operator sets for an unlisted model', async () => {
    const { ask, gateway } = await openVendors({ plan: 'enterprise' });
    const price = { input: '2', output: '10', cache_read: null, cache_write: null, request: '0', tiers: [] };
    await gateway.operator.overridePrice({ model: 'anthropic/claude-sonnet-5-9', price });
    const response = await ask('claude-sonnet-5-9');
    expect(response.status).toBe(200);
    const body: unknown = await response.json();
    expect(isObject(body) && isObject(body.usage) && body.usage.cost_usd).not.toBe('0');
  });

  test('a prepaid account may call a model without a price with its own key, and pays nothing', async () => {
    const { ask, posts } = await openVendors({ plan: 'enterprise' });
    const response = await ask('anthropic/claude-sonnet-5-9', { byoapi_key: 'own-key-12345' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ usage: { cost_usd: '0' } });
    expect(posts()[0]?.headers['x-api-key']).toBe('own-key-12345');
  });

  test('the router never chooses a model without a price for a prepaid account', async () => {
    const { ask, models, posts } = await openVendors({ plan: 'enterprise' });
    await models();
    const response = await ask('router', { route: { only: ['anthropic/claude-sonnet-5-8'] } });
    expect(await errorCode(response)).toBe('no_eligible_model');
    expect(posts()).toEqual([]);
  });
});

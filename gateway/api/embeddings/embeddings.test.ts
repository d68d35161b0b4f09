import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { embeddingsResponse } from '#shared/wire/embeddings.ts';
import {
  counted,
  encoded,
  jsonReply,
  openAiReply,
  openEmbeddings,
  vector,
} from '../../../tests/gateway-doubles/open-embeddings.ts';
import { errorCode } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { testModel } from '../../../tests/gateway-doubles/test-models.ts';
import { testPrincipal } from '../../../tests/gateway-doubles/test-receiving.ts';
import { openThreeVendors } from '../../../tests/gateway-doubles/three-vendors.ts';
import { errorReply, type Reply } from '../../../tests/gateway-doubles/upstream-server.ts';
import { openVendorDouble } from '../../../tests/gateway-doubles/vendors/vendor-double.ts';
import { getPlan } from '../../access/auth/plans.ts';
import type { Principal } from '../../access/auth/principal.ts';
import { Secret } from '../../access/auth/secret.ts';
import { createHealth } from '../../engine/routing/health.ts';
import { createSticky } from '../../engine/routing/resolve.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { embeddingsFrom } from '../../providers/embedding-answer.ts';
import { createRegistry } from '../../providers/registry.ts';
import { platformFetch } from '../../providers/upstream/upstream-response.ts';
import { admitEmbeddings } from './admit-embeddings.ts';
import type { EmbeddingCall } from './read-call.ts';
import { embeddingFields } from './read-fields.ts';

describe('embeddings', () => {
  test('plain fetch gets numbers, the routing, and the same headers as a chat', async () => {
    const { embed } = await openEmbeddings();
    const response = await embed({ input: 'a', metadata: { purpose: 'index' } });
    const body = embeddingsResponse.parse(await response.json());
    expect(body).toMatchObject({ provider: 'openai', cost_usd: '0.0000001', byok: false, warnings: [] });
    expect(body.data).toEqual([{ object: 'embedding', index: 0, embedding: vector }]);
    expect(response.headers.get('x-portico-model')).toBe('text-embedding-3-small');
    expect(response.headers.get('x-ratelimit-remaining-requests')).not.toBeNull();
  });

  test.each([
    ['input', { input: undefined }, 'missing_required_parameter'],
    ['input', { input: [] }, 'invalid_value'],
    ['input[1]', { input: ['a', ''] }, 'invalid_value'],
    ['input[1]', { input: ['a', 7] }, 'invalid_type'],
    ['input[0][1]', { input: [[1, -1]] }, 'invalid_type'],
    ['input', { input: 7 }, 'invalid_type'],
    ['input[1]', { input: [[1], 'a'] }, 'invalid_type'],
    ['input[1]', { input: [[1], []] }, 'invalid_value'],
    ['byoapi_key', { input: 'a', byoapi_key: 7 }, 'invalid_type'],
    ['byoapi_key', { input: 'a', byoapi_key: 'own-key-12345', model: 'router' }, 'byoapi_key_requires_provider'],
    ['input', { input: Array(2_049).fill('a') }, 'invalid_value'],
    ['input', { input: Array(8_193).fill(1) }, 'context_length_exceeded'],
    ['input[1]', { input: [[1], Array(8_193).fill(1)] }, 'context_length_exceeded'],
    ['input', { input: Array(38).fill(Array(8_000).fill(1)) }, 'context_length_exceeded'],
    ['input', { input: 'word '.repeat(20_000) }, 'context_length_exceeded'],
    ['dimensions', { input: 'a', dimensions: 1_537 }, 'unsupported_value'],
    ['encoding_format', { input: 'a', encoding_format: 'int8' }, 'invalid_value'],
    ['encoding_format', { input: Array(2_048).fill('a'), dimensions: 1_536 }, 'unsupported_value'],
    ['model', { input: 'a', model: 'router' }, 'unsupported_value'],
    ['model', { input: 'a', model: 'openai/gpt-5.4-mini' }, 'unsupported_value'],
    ['model', { input: 'a', model: 'anthropic/claude-embed' }, 'unsupported_value'],
    ['model', { input: 'a', model: 'openai/nothing' }, 'model_not_found'],
    ['input', { input: [1], model: 'google/gemini-embedding-001', dimensions: 768 }, 'unsupported_value'],
    ['input', { input: Array(101).fill('a'), model: 'google/gemini-embedding-001' }, 'unsupported_value'],
  ])('an invalid %s is refused before a provider is called: %o', async (param, body, code) => {
    const { embed, asked, records } = await openEmbeddings();
    const { error } = (await (await embed(body)).json()) as { error: { code: string; param: string } };
    expect(error).toMatchObject({ code, param });
    expect([asked().length, (await records()).length]).toEqual([0, 0]);
  });

  test('a chat with an embedding model fails with a hint, and the model list separates the kinds', async () => {
    const { post, call } = await openEmbeddings();
    const chat = { model: 'openai/text-embedding-3-small', messages: [{ role: 'user', content: 'hi' }] };
    const { error } = (await (await post('/v1/chat/completions', chat)).json()) as { error: { message: string } };
    expect(error.message).toContain('/v1/embeddings');
    const list = await (await call('/v1/models?capability=embeddings')).json();
    const { data } = list as { data: { kind: string; embedding: object }[] };
    expect(data).toContainEqual(expect.objectContaining({ id: 'openai/text-embedding-3-large', kind: 'embedding' }));
    expect(new Set(data.map(({ kind }) => kind))).toEqual(new Set(['embedding']));
  });

  test.each<[string, Reply, string]>([
    ['401', errorReply(401, { error: { message: 'bad key' } }), 'upstream_auth_failed'],
    ['429', errorReply(429, { error: { message: 'slow down' } }), 'upstream_rate_limited'],
    ['500', errorReply(500, {}), 'upstream_error'],
    ['an answer that is not JSON', jsonReply('<html>'), 'upstream_bad_response'],
    ['an answer with a missing vector', jsonReply({ data: [] }), 'upstream_bad_response'],
    ['a vector of words', jsonReply({ data: [{ index: 0, embedding: ['a'] }] }), 'upstream_bad_response'],
    [
      'base64 that is not 32-bit floats',
      jsonReply({ data: [{ index: 0, embedding: 'AAA=' }] }),
      'upstream_bad_response',
    ],
    ['a vector with other dimensions', jsonReply({ data: [{ index: 0, embedding: [1, 2] }] }), 'upstream_bad_response'],
    ['an index without an input', jsonReply({ data: [{ index: 1, embedding: vector }] }), 'upstream_bad_response'],
    [
      'an answer that breaks off',
      (_call, response) => void response.writeHead(200).write('{"data":', () => response.destroy()),
      'upstream_truncated',
    ],
  ])('embeddings that fail with %s cost nothing', async (_what, reply, code) => {
    const { embed, records, call } = await openEmbeddings(reply);
    expect(await errorCode(await embed({ input: 'a' }))).toBe(code);
    expect(await records()).toMatchObject([{ status: 'failed', error_code: code, cost_usd: '0' }]);
    expect(await (await call('/credits')).json()).toMatchObject({ held: '0' });
  });

  test.each<[string, unknown, string, boolean]>([
    ['no tokens', undefined, '0.00000002', true],
    ['zero tokens', counted(0), '0.00000002', true],
    ['more tokens than possible', counted(1_000_000_000), '0.00000002', true],
    ['tokens in words', { prompt_tokens: 'many' }, '0.00000002', true],
    ['a few tokens more than estimated', counted(3), '0.00000006', false],
  ])(
    'an upstream that reports %s is only believed if the count is plausible',
    async (_what, usage, cost, estimated) => {
      const { embed, records } = await openEmbeddings(jsonReply({ data: [{ index: 0, embedding: vector }], usage }));
      expect((await embed({ input: 'a' })).status).toBe(200);
      expect(await records()).toMatchObject([{ cost_usd: cost, estimated }]);
    },
  );

  test('a key without the chat scope is refused', async () => {
    const { embed } = await openEmbeddings(openAiReply, { scopes: ['models'] });
    expect(await errorCode(await embed({ input: 'a' }))).toBe('insufficient_scope');
  });

  test("the caller's own key is refused when the plan does not include it", async () => {
    const { embed, asked, gateway, account } = await openEmbeddings();
    await gateway.operator.definePlan('team', { features: ['chat'] });
    await gateway.operator.setAccountPlan(account.id, 'team');
    const response = await embed({ input: 'a', byoapi_key: 'own-key-of-the-caller' });
    expect((await response.json()).error).toMatchObject({ code: 'plan_required', details: { feature: 'byok' } });
    expect(asked()).toEqual([]);
  });

  test('a request with an Idempotency-Key gets a warning, because repeats are not stored', async () => {
    const { embed } = await openEmbeddings();
    const response = await embed({ input: 'a', nonsense: 1 }, { headers: { 'idempotency-key': 'k' } });
    expect(response.headers.get('x-portico-warnings')).toBe(
      'unknown_parameter=nonsense, idempotency_not_kept=Idempotency-Key',
    );
  });

  test.each([
    ['ollama', 'nomic-embed-text', '0'],
    ['ollama', 'all-minilm', '0'],
    ['mistral', 'mistral-embed', '0.0000005'],
  ])('%s is asked for numbers with %s, whatever format the client wants', async (provider, model, cost) => {
    const { embed, asked, gateway, upstream, records } = await openEmbeddings((call, response) => {
      const list = { data: [{ id: model, capabilities: { completion_chat: model === 'all-minilm' } }] };
      return (call.method === 'GET' ? jsonReply(list) : openAiReply)(call, response);
    });
    gateway.setProvider('mistral', { apiKey: new Secret('key-of-mistral'), baseUrl: `${upstream.origin}/v1` });
    await gateway.refreshModels(provider);
    const dimensions = provider === 'mistral' ? undefined : 4;
    const response = await embed({
      model: `${provider}/${model}`,
      input: 'a',
      encoding_format: 'base64',
      dimensions,
      user: 'u',
    });
    expect(await response.json()).toMatchObject({ data: [{ embedding: encoded(vector) }], cost_usd: cost });
    const others = provider === 'mistral' ? {} : { dimensions: 4, user: 'u' };
    expect(asked()[0]?.body).toEqual({ model, input: ['a'], ...others });
    expect(await records()).toMatchObject([{ provider, model, status: 'succeeded' }]);
  });

  test('a request for other dimensions is refused when the model has only one size', async () => {
    const model = 'mistral-embed';
    const { embed, asked, gateway, upstream } = await openEmbeddings(jsonReply({ data: [{ id: model }] }));
    gateway.setProvider('mistral', { apiKey: new Secret('key-of-mistral'), baseUrl: `${upstream.origin}/v1` });
    await gateway.refreshModels('mistral');
    const { error } = await (await embed({ model: `mistral/${model}`, input: 'a' })).json();
    expect(error).toMatchObject({ code: 'unsupported_value', param: 'dimensions' });
    expect(error.message).toContain('has 1024 dimensions and no other number of them');
    expect(asked()).toEqual([]);
  });

  test('an Azure deployment tries its next key when the first is refused, and costs the price of its model', async () => {
    const { embed, asked, gateway, upstream, records } = await openEmbeddings((call, response) =>
      (call.headers['api-key'] === 'first-key-1234' ? errorReply(401, {}) : openAiReply)(call, response),
    );
    const [first, second] = [new Secret('first-key-1234'), new Secret('second-key-1234')];
    gateway.setProvider('my-azure', {
      apiKey: first,
      baseUrl: upstream.origin,
      keys: [
        { label: 'one', secret: first },
        { label: 'two', secret: second },
      ],
      headers: new Map([['x-team', new Secret('search-team')]]),
      server: { name: 'My Azure', kind: 'azure-openai', apiVersion: '2024-10-21' },
      models: [{ model: 'vectors', sameAs: 'openai/text-embedding-3-large', price: null }],
    });
    expect((await embed({ model: 'my-azure/vectors', input: 'a' })).status).toBe(200);
    expect(asked().map(({ path, headers }) => [path, headers['api-key'], headers['x-team']])).toEqual(
      ['first-key-1234', 'second-key-1234'].map((key) => [
        '/openai/deployments/vectors/embeddings?api-version=2024-10-21',
        key,
        'search-team',
      ]),
    );
    expect(await records()).toMatchObject([{ provider: 'my-azure', cost_usd: '0.00000065' }]);
  });

  test('many vectors are converted on a worker thread, in the order of their inputs', async () => {
    const long = Array.from({ length: 1_536 }, (_, index) => Math.sin(index));
    const count = 512;
    const data = Array.from({ length: count }, (_, index) => ({ index, embedding: [index, ...long.slice(1)] }));
    const { embed } = await openEmbeddings(jsonReply({ data: data.toReversed(), usage: counted(count) }));
    const input = Array(count).fill('a');
    const response = await embed({ input, dimensions: 1_536, encoding_format: 'base64' });
    const body = embeddingsResponse.parse(await response.json());
    const firsts = body.data.map(({ embedding }) => Buffer.from(String(embedding), 'base64').readFloatLE(0));
    expect(firsts).toEqual(data.map(({ index }) => index));
  });
});

test('numbers and base64 contain the same vector, to the last bit of a 32-bit float', () => {
  const numbers = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(fc.array(numbers, { minLength: 1, maxLength: 3 }), fc.boolean(), (vectors, asText) => {
      const size = vectors[0]?.length ?? 0;
      const same = vectors.map((numbers) => Array.from({ length: size }, (_, index) => numbers[index] ?? 0));
      const data = same.map((numbers, index) => ({ index, embedding: asText ? encoded(numbers) : numbers }));
      const blocks = () => [Buffer.from(JSON.stringify({ data }))];
      const common = { shape: 'openai', dimensions: null, count: same.length } as const;
      const [float, base64] = (['float', 'base64'] as const).map((format) => {
        const made = embeddingsFrom({ ...common, format, blocks: blocks() });
        return JSON.parse('data' in made ? made.data : '[]') as { embedding: number[] & string }[];
      });
      const read = base64?.map(({ embedding }) => {
        const bytes = Buffer.from(embedding, 'base64');
        return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index) + 0);
      });
      expect(read).toEqual(float?.map(({ embedding }) => embedding.map((number) => Math.fround(number) + 0)));
      expect(float).toHaveLength(same.length);
    }),
  );
});

test('more inputs than any model accepts are refused while they are read', () => {
  const fields = () => embeddingFields({ model: 'm', input: Array(2_049).fill('a') }, false);
  expect(fields).toThrow(/has more than 2048 inputs/);
});

describe("vendors' own rules", () => {
  test.each([
    ['openai/text-embedding-3-small', { input: 'a' }, 1_536],
    ['openai/text-embedding-3-large', { input: [[1, 2]], dimensions: 256, user: 'u' }, 256],
    ['google/gemini-embedding-001', { input: ['a', 'b'] }, 3_072],
    ['google/gemini-embedding-001', { input: 'a', dimensions: 128 }, 128],
    ['sandbox/vectors', { input: ['a', 'b'], dimensions: 16 }, 16],
  ])('%s with %j returns vectors of %i numbers in both formats', async (model, body, size) => {
    const { post, calls } = await openThreeVendors();
    for (const encoding_format of ['float', 'base64']) {
      const response = await post('/v1/embeddings', { model, encoding_format, metadata: { purpose: 'tool' }, ...body });
      const { data } = embeddingsResponse.parse(await response.json());
      const [{ embedding = '' } = {}] = data;
      expect(typeof embedding === 'string' ? Buffer.from(embedding, 'base64').length / 4 : embedding.length).toBe(size);
    }
    expect(calls.map(({ refusal }) => refusal)).toEqual(calls.map(() => null));
  });

  test.each<[string, object, RegExp]>([
    ['text-embedding-3-small', { input: 'a', metadata: {} }, /Unrecognized request argument/],
    ['gpt-4o', { input: 'a' }, /does not make embeddings/],
    ['text-embedding-3-small', { input: '' }, /is invalid/],
    ['text-embedding-3-small', { input: Array(2_049).fill('a') }, /too long/],
    ['text-embedding-3-small', { input: Array(8_193).fill(1) }, /8192 tokens/],
    ['text-embedding-3-small', { input: Array(38).fill(Array(8_000).fill(1)) }, /300000/],
    ['text-embedding-3-small', { input: 'a', dimensions: 1_537 }, /'dimensions'/],
  ])('the test double of OpenAI refuses an invalid request for %s', async (model, body, words) => {
    const { send } = openVendorDouble();
    const init = { method: 'POST', body: JSON.stringify({ model, ...body }) };
    expect(await (await send('https://openai.example/v1/embeddings', init)).text()).toMatch(words);
  });

  test.each<[object[], RegExp]>([
    [Array(101).fill({ model: 'models/e', content: { parts: [{ text: 'a' }] } }), /at most 100/],
    [[{ model: 'models/e', content: { parts: [{ text: 'a' }] }, dimensions: 3 }], /Unknown name/],
    [[{ content: { parts: [{ text: 'a' }] } }], /must match/],
    [[{ model: 'models/e', content: {} }], /not specified/],
  ])('the test double of Google refuses an invalid request', async (requests, words) => {
    const { send } = openVendorDouble();
    const init = { method: 'POST', body: JSON.stringify({ requests }) };
    expect(await (await send('https://google.example/v1beta/models/e:batchEmbedContents', init)).text()).toMatch(words);
  });
});

describe('admitEmbeddings itself refuses', () => {
  const principal = testPrincipal(getPlan('pro'));

  test.each<[string, Partial<Principal>, string, string]>([
    ['a suspended account', { accountStatus: 'suspended' }, 'account_suspended', 'is suspended'],
    ['a plan without the chat feature', { plan: { ...getPlan('pro'), features: ['byok'] } }, 'plan_required', '"chat"'],
    ['a provider without embeddings', {}, 'unsupported_value', 'Anthropic offers no embeddings'],
  ])('%s', (_who, caller, code, sentence) => {
    const registry = createRegistry({ fetch: platformFetch(fetch), sandbox: false, sandboxPace: 0, log: () => {} });
    registry.set('anthropic', { apiKey: new Secret('platform-key'), baseUrl: 'https://anthropic.example' });
    const models = [testModel('anthropic/claude-x')];
    const deps = {
      registry,
      catalogue: () => ({
        version: '2026-11-20',
        models,
        embeddings: [],
        offered: [],
        priced: (model: CatalogueModel) => model,
      }),
      health: createHealth(() => 0),
      sticky: createSticky(() => 0),
      now: () => 0,
      vendor: 'portico',
    };
    const call: EmbeddingCall = {
      ...embeddingFields({ model: 'claude-x', input: 'a' }, false),
      requestId: 'req_1',
      principal: { ...principal, ...caller },
      byoKey: null,
      fullRouting: false,
    };
    expect(() => admitEmbeddings(call, deps)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(sentence) }),
    );
  });
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { openChatBench } from '../../tests/gateway-doubles/chat-bench.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { testModel } from '../../tests/gateway-doubles/test-models.ts';
import { errorReply, openUpstream, streamReply, type Upstream } from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';
import { buildCatalogue } from '../models/catalogue/build-catalogue.ts';
import { createRegistry, hostedBaseUrl } from './registry.ts';
import { platformFetch } from './upstream/upstream-response.ts';

let upstream: Upstream;
beforeEach(async () => {
  upstream = await openUpstream((call, response) => {
    if (call.path === '/v1/models')
      return errorReply(200, { data: [{ id: 'llama3:8b', created: 5 }, { id: '' }, 7] })(call, response);
    return streamReply(recordedStreams.openai.join(''))(call, response);
  });
});
afterEach(() => upstream.close());

function open(sandbox = true) {
  const logged: unknown[] = [];
  const log = (entry: unknown) => void logged.push(entry);
  return { logged, registry: createRegistry({ fetch: platformFetch(fetch), sandbox, sandboxPace: 0, log }) };
}
const local = () => ({ apiKey: null, baseUrl: `${upstream.origin}/v1/` });

test('a provider is configured while it has a credential', () => {
  const { registry } = open();
  expect(registry.configured()).toEqual(['sandbox']);
  registry.set('openai', { apiKey: new Secret('k'), baseUrl: 'https://a.example/v1' });
  expect(registry.configured()).toEqual(['openai', 'sandbox']);
  registry.set('openai', null);
  expect(registry.get('openai')).toMatchObject({ credential: null });
  expect(registry.get('acme')).toBeNull();
  expect(() => registry.set('acme', null)).toThrow(RangeError);
});

test('a caller’s own key is never sent to a port of this machine that the operator did not name', async () => {
  const model = testModel('ollama/m', { price: null });
  const bench = await openChatBench({ models: [model] });
  const response = await bench.post('/chat', { model: 'ollama/m', prompt: 'hi', byoapi_key: 'own-key-12345' });
  expect([response.status, (await response.json()).error.code]).toEqual([404, 'no_eligible_model']);
  expect(hostedBaseUrl('mistral')).toBe('https://api.mistral.ai/v1');
  await bench.close();
});

test.each([
  [429, { code: 'upstream_rate_limited', providerError: { status: 429, code: 'slow', message: null } }],
  [503, { code: 'upstream_overloaded', providerError: { status: 503, code: 'slow', message: null } }],
  [401, { code: 'upstream_auth_failed', providerError: null }],
  [400, { code: 'upstream_invalid_request', providerError: { status: 400, message: 'Your limit is 30,000.' } }],
])(
  "a provider's message about the account with status %i is shown only to the one who pays the provider",
  async (status, others) => {
    const body = { error: { message: 'Your limit is 30,000.', code: 'slow', param: 'tpm' } };
    upstream.replyWith(errorReply(status, body));
    const asked = async (showsProviderMessages?: boolean) => {
      const log = () => {};
      const registry = createRegistry({
        fetch: platformFetch(fetch),
        sandbox: false,
        sandboxPace: 0,
        showsProviderMessages,
        log,
      });
      const credential = { apiKey: new Secret('a-key-of-some-length'), baseUrl: upstream.origin };
      const { signal } = new AbortController();
      const context = { credential, fetch: platformFetch(fetch), signal };
      return registry
        .get('openai')
        ?.provider.models(context)
        .catch((error) => error);
    };
    expect(await asked()).toMatchObject(others);
    expect(await asked(true)).toMatchObject({ providerError: { status, message: 'Your limit is 30,000.' } });
  },
);

test('the sandbox can be left out', () => {
  expect(
    open(false)
      .registry.all()
      .map((provider) => provider.id),
  ).not.toContain('sandbox');
});

test("a local server's models are listed without a price and can be called", async () => {
  const bench = await openChatBench({ plan: 'local' });
  bench.registry.set('openai-compatible', local());
  await bench.registry.refresh('openai-compatible');
  expect(bench.registry.models().at(-1)).toMatchObject({ id: 'openai-compatible/llama3:8b', price: null, created: 5 });
  const response = await bench.post('/chat', { model: 'llama3:8b', prompt: 'hi' });
  expect(await response.json()).toMatchObject({ text: recordedStreams.text, cost_usd: '0' });
  expect(upstream.calls.at(-1)?.headers.authorization).toBeUndefined();
  bench.registry.set('openai-compatible', null);
  expect(bench.registry.models().some((model) => model.provider === 'openai-compatible')).toBe(false);
  await bench.close();
});

test('a failed model list of a local server is returned by refresh and logged in the background', async () => {
  upstream.replyWith(errorReply(500, {}));
  const { registry, logged } = open();
  registry.set('openai-compatible', local());
  await expect(registry.refresh('openai-compatible')).rejects.toMatchObject({ code: 'upstream_error' });
  await expect.poll(() => logged).toContainEqual(expect.objectContaining({ event: 'model_list_failed' }));
});

test('several servers are used at once, each model with its own known price', async () => {
  const list = (...models: object[]) => errorReply(200, { data: models });
  const pricing = { prompt: '0.000002', completion: '0.00001' };
  upstream.replyWith((call, response) => {
    if (call.path === '/groq/models') return list({ id: 'openai/gpt-oss-20b' })(call, response);
    if (call.path === '/router/models') return list({ id: 'acme/large', pricing })(call, response);
    if (call.path === '/ollama/models') return list({ id: 'llama3:8b' })(call, response);
    return streamReply(recordedOpenRouter)(call, response);
  });
  const bench = await openChatBench();
  const credentialFor = (path: string) => ({
    apiKey: new Secret('platform-key'),
    baseUrl: `${upstream.origin}/${path}`,
  });
  bench.registry.set('groq', credentialFor('groq'));
  bench.registry.set('openrouter', credentialFor('router'));
  bench.registry.set('ollama', { apiKey: null, baseUrl: `${upstream.origin}/ollama` });
  for (const id of ['groq', 'openrouter', 'ollama']) await bench.registry.refresh(id);
  const { models } = buildCatalogue('2026-11-21', bench.registry.models());
  const parsePricing = (id: string) => models.find((model) => model.id === id)?.price?.prompt;
  expect(parsePricing('groq/openai/gpt-oss-20b')).toBe(75_000n);
  expect(parsePricing('openrouter/acme/large')).toBe(2_000_000n);
  expect(parsePricing('ollama/llama3:8b')).toBeUndefined();
  const answer = await bench.post('/chat', { model: 'openrouter/acme/large', prompt: 'hi' });
  expect(await answer.json()).toMatchObject({ text: 'Hi', cost_usd: '0.000123457', provider: 'openrouter' });
  expect(upstream.calls.at(-1)?.body).toMatchObject({ usage: { include: true }, model: 'acme/large' });
  expect(await bench.onlyRequest()).toMatchObject({ charge: 123_457n, upstream_cost: 123_457n, price: null });
  await bench.close();
});

const recordedOpenRouter = [
  ': OPENROUTER PROCESSING\n\n',
  'data: {"id":"gen-1","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}]}\n\n',
  'data: {"id":"gen-1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}\n\n',
  'data: {"id":"gen-1","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"cost":0.0001234561}}\n\n',
  'data: [DONE]\n\n',
].join('');

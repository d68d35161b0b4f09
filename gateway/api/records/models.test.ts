import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { model, modelList } from '#shared/wire/model.ts';
import { errorCode, openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { Secret } from '../../access/auth/secret.ts';

const openai = { openai: { apiKey: new Secret('sk-test'), baseUrl: 'http://127.0.0.1:9/v1' } };

async function lister(options: Parameters<typeof openTestGateway>[0] = { providers: openai }) {
  const opened = await openTestGateway(options);
  const list = async (query = '') => {
    const response = await opened.call(`/v1/models${query}`);
    expect(response.status).toBe(200);
    return modelList.parse(await response.json());
  };
  return { ...opened, list };
}

describe('the list of models', () => {
  test('the model list is the same at both paths, with the router first', async () => {
    const { call, list } = await lister();
    const models = await list();
    expect(await (await call('/models')).json()).toEqual(models);
    expect(models.data[0]).toMatchObject({ id: 'router', kind: 'router', pricing: null, status: 'available' });
    expect(models).toMatchObject({ first_id: 'router', last_id: models.data.at(-1)?.id, has_more: false });
    expect(new Set(models.data.map((entry) => entry.id)).size).toBe(models.data.length);
  });

  test('the model list contains the reason why a model cannot be used', async () => {
    const { list } = await lister();
    const status = async (id: string) => (await list()).data.find((entry) => entry.id === id)?.status;
    expect(await status('openai/gpt-5.4-mini')).toBe('available');
    expect(await status('anthropic/claude-opus-5')).toBe('no_credential');
    const local = await lister({ plan: 'local' });
    expect((await local.list()).data.find((entry) => entry.provider === 'sandbox')?.status).toBe('plan_required');
  });

  test('the model list changes when a key is added or removed', async () => {
    const { list, gateway } = await lister({});
    const available = async () => (await list('?provider=openai&include_unavailable=false')).data.length;
    expect(await available()).toBe(0);
    gateway.setProvider('openai', openai.openai);
    expect(await available()).toBeGreaterThan(10);
    gateway.setProvider('openai', null);
    expect(await available()).toBe(0);
    for (const credential of [null, openai.openai]) {
      expect(() => gateway.setProvider('nobody', credential)).toThrow(/There is no provider "nobody"\. Providers: /);
    }
  });

  test('the model list can be filtered and sorted', async () => {
    const { list } = await lister();
    const ids = async (query: string) => (await list(query)).data.map((entry) => entry.id);
    expect((await ids('?provider=anthropic')).every((id) => id.startsWith('anthropic/'))).toBe(true);
    expect(await ids('?q=5.4-MINI')).toEqual(['openai/gpt-5.4-mini']);
    const google = (await ids('?provider=google&capability=streaming')).filter((id) => id !== 'router');
    expect(await ids('?capability=audio&capability=vision,tools')).toEqual(
      google.filter((id) => !id.endsWith('-image')),
    );
    expect(await ids('?provider=google&capability=image_output')).toEqual(google.filter((id) => id.endsWith('-image')));
    const cheap = (await list('?max_price=0.0000001')).data;
    expect(cheap.length).toBeGreaterThan(0);
    expect(cheap.every((entry) => Number(entry.pricing?.prompt) <= 1e-7)).toBe(true);
    const prices = (await list('?sort=-price')).data.slice(1).map((entry) => Number(entry.pricing?.prompt));
    expect(prices).toEqual(prices.toSorted((a, b) => b - a));
    expect(
      (await list('?min_context=1000000&provider=openai')).data.every((entry) => Number(entry.context_length) >= 1e6),
    ).toBe(true);
  });

  test('the model list has pages only when a limit is given', async () => {
    const { list } = await lister();
    const whole = await list();
    const first = await list('?limit=10');
    expect(first).toMatchObject({ has_more: true, last_id: first.data[9]?.id });
    const second = await list(`?limit=100&after=${encodeURIComponent(first.last_id ?? '')}`);
    expect([...first.data, ...second.data]).toEqual(whole.data);
  });

  test.each(['sort=best', 'min_context=-1', 'max_price=cheap', 'include_unavailable=1', 'limit=0', 'after=nobody'])(
    'the model list refuses ?%s',
    async (query) => {
      const { call } = await openTestGateway();
      expect(await errorCode(await call(`/v1/models?${query}`))).toBe('invalid_query_parameter');
    },
  );

  test.each([
    ['gzip, deflate, br', 'gzip'],
    ['br;q=1.0, gzip;q=0.8', 'gzip'],
    ['gzip;q=0', null],
    ['identity', null],
  ])('is compressed for a client that accepts %s: %s', async (accepted, encoding) => {
    const { call } = await openTestGateway();
    const plain = await (await call('/v1/models')).text();
    const answer = await call('/v1/models', { headers: { 'accept-encoding': accepted } });
    expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual([
      encoding,
      'Origin, Accept-Encoding',
    ]);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect((encoding ? gunzipSync(bytes) : bytes).toString()).toBe(plain);
    if (encoding) expect(bytes.length).toBeLessThan(plain.length / 4);
    const tag = answer.headers.get('etag') ?? '';
    const again = await call('/v1/models', { headers: { 'if-none-match': tag, 'accept-encoding': accepted } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('the model list is not sent again to a caller that already has it', async () => {
    const { call, gateway } = await lister();
    const tag = (await call('/v1/models')).headers.get('etag') ?? '';
    const again = await call('/v1/models', { headers: { 'if-none-match': `"other", W/${tag}` } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    gateway.setProvider('openai', null);
    expect((await call('/v1/models', { headers: { 'if-none-match': tag } })).status).toBe(200);
  });
});

describe('one model', () => {
  test.each([
    ['openai/gpt-5.4-mini', 'openai/gpt-5.4-mini'],
    ['openai%2Fgpt-5.4-mini', 'openai/gpt-5.4-mini'],
    ['openai%2fgpt-5.4-mini/', 'openai/gpt-5.4-mini'],
    ['gpt-5.4-mini', 'openai/gpt-5.4-mini'],
    ['router', 'router'],
    ['auto', 'router'],
    ['portico/router', 'router'],
  ])('a model is found by the name %s', async (spelling, id) => {
    const { call } = await lister();
    const response = await call(`/v1/models/${spelling}`);
    expect(model.parse(await response.json()).id).toBe(id);
  });

  test.each(['nobody/nothing', 'gpt-99', '%E0%A4%A', '..%2f..%2fetc'])(
    'the model %s is not found',
    async (spelling) => {
      const { call } = await lister();
      const response = await call(`/v1/models/${spelling}`);
      expect([response.status, await errorCode(response)]).toEqual([404, 'model_not_found']);
    },
  );
});

test('an alias in the configuration names its model in the list, in a single record and in a chat', async () => {
  const { call, post } = await openTestGateway({ aliases: { 'fast-code': 'sandbox/echo' } });
  const model = (await (await call('/v1/models/fast-code')).json()) as { id: string; aliases: string[] };
  expect([model.id, model.aliases]).toEqual(['sandbox/echo', ['fast-code']]);
  const answer = await post('/chat', { prompt: 'hi', model: 'fast-code' });
  expect(await answer.json()).toMatchObject({ text: 'hi', provider: 'sandbox', model: 'echo' });
});

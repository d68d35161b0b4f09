import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { completionResponse } from '#shared/wire/chat-response.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { openUpstream, streamReply } from '../../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../../access/auth/secret.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { listedBook } from '../catalogue/listed-prices.ts';
import listed from './data/listed-prices.json' with { type: 'json' };
import { type PriceDocument, type PriceFields, priceDocument } from './price-document.ts';
import { type AddedPrice, addPrices, heldOn } from './price-rows.ts';
import { shippedBook } from './shipped-book.ts';

const id = 'openai/gpt-5.4-mini';
const today = '2026-11-20';
const flat = (input: string, output: string): PriceFields => ({
  input,
  output,
  cache_read: null,
  cache_write: null,
  tiers: [],
});

async function open() {
  const upstream = await openUpstream(streamReply(recordedStreams.openai.join('')));
  onTestFinished(() => upstream.close());
  const opened = await openTestGateway({
    providers: { openai: { apiKey: new Secret('platform-key'), baseUrl: `${upstream.origin}/v1` } },
  });
  const pricing = async () => {
    const answer = await opened.call(`/v1/models/${id}`);
    return ((await answer.json()) as { pricing: Record<string, unknown> }).pricing;
  };
  const ask = async () => {
    const body = { model: id, messages: [{ role: 'user', content: 'hello' }] };
    return completionResponse.parse(await (await opened.post('/v1/chat/completions', body)).json()).usage;
  };
  const records = async () => requestList.parse(await (await opened.call('/v1/requests')).json()).data;
  return { ...opened, pricing, ask, records };
}

/** Opens a server on loopback that sends this price document. */
async function serving(body: string | object, status = 200) {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/book.json`;
}

const toRows = (model: string) => shippedBook.models.find((entry) => entry.id === model)?.rows ?? [];
const document = (more: Partial<PriceDocument['models'][number]> = {}, as_of = today): PriceDocument => ({
  as_of,
  source: 'prices.example',
  models: [{ id, name: 'x', context_window: null, rows: toRows(id), ...more }],
});

describe('an override', () => {
  test('an override applies to later requests with its source and day, and earlier requests keep their price', async () => {
    const { gateway, pricing, ask, records } = await open();
    const before = await ask();
    await gateway.operator.overridePrice({ model: id, price: flat('10', '40') });
    expect(await pricing()).toMatchObject({
      prompt: '0.00001',
      completion: '0.00004',
      as_of: today,
      source: 'override',
    });
    const after = await ask();
    expect(after.cost_usd).toBe('0.00064');
    const [newest, oldest] = await records();
    expect(newest).toMatchObject({
      cost_usd: '0.00064',
      price: { prompt: '0.00001', source: 'override', as_of: today },
    });
    expect(oldest).toMatchObject({
      cost_usd: before.cost_usd,
      price: { prompt: '0.00000075', source: shippedBook.source, as_of: shippedBook.as_of },
    });
  });

  test('removing an override without a day also removes the prices planned for later', async () => {
    const { gateway, pricing, pass } = await open();
    await gateway.operator.overridePrice({ model: id, from: '2026-11-22', price: flat('10', '40') });
    await gateway.operator.overridePrice({ model: id, from: '2026-11-24', price: flat('20', '80') });
    await gateway.operator.overridePrice({ model: id, price: null });
    for (let day = 0; day < 6; day += 1) {
      expect((await pricing()).source).toBe(shippedBook.source);
      pass(24 * 60 * 60 * 1000);
    }
  });

  test('removing an override from a day on keeps the prices planned after that day', async () => {
    const { gateway, pricing, pass } = await open();
    await gateway.operator.overridePrice({ model: id, from: '2026-11-22', price: flat('10', '40') });
    await gateway.operator.overridePrice({ model: id, from: '2026-11-24', price: flat('20', '80') });
    await gateway.operator.overridePrice({ model: id, from: '2026-11-22', price: null });
    const seen = [];
    for (let day = 0; day < 5; day += 1) {
      seen.push((await pricing()).source);
      pass(24 * 60 * 60 * 1000);
    }
    const { source } = shippedBook;
    expect(seen).toEqual([source, source, source, source, 'override']);
  });

  test('an override begins at midnight UTC of its day, and ends on the day from which it is removed', async () => {
    const { gateway, pricing, pass } = await open();
    await gateway.operator.overridePrice({ model: id, from: '2026-11-21', price: flat('10', '40') });
    await gateway.operator.overridePrice({ model: id, from: '2026-11-23', price: null });
    const day = 24 * 60 * 60 * 1000;
    const seen = [];
    for (let count = 0; count < 4; count += 1) {
      seen.push((await pricing()).source);
      pass(day);
    }
    expect(seen).toEqual([shippedBook.source, 'override', 'override', shippedBook.source]);
  });

  test.each([
    [{ model: id, from: '2026-11-19', price: null }, /cannot begin on 2026-11-19: what is past stays/],
    [{ model: 'gpt-5.4-mini', price: null }, /is no model/],
    [{ model: 'openai/gpt-5.4-mni', price: null }, /There is no model "openai\/gpt-5.4-mni"/],
  ])('the override %j is refused', async (change, sentence) => {
    const { gateway } = await open();
    await expect(gateway.operator.overridePrice(change)).rejects.toThrow(sentence);
    expect(await gateway.operator.addedPrices()).toEqual([]);
  });

  test('an override gives a price to a model whose server lists none', async () => {
    const upstream = await openUpstream((_call, response) => {
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'qwen' }] }));
    });
    onTestFinished(() => upstream.close());
    const { gateway, call } = await openTestGateway({
      providers: { 'openai-compatible': { apiKey: null, baseUrl: `${upstream.origin}/v1` } },
    });
    await gateway.operator.overridePrice({ model: 'openai-compatible/qwen', price: flat('0.05', '0.1') });
    const listed = async () => (await call('/v1/models/openai-compatible/qwen')).json();
    await expect.poll(listed).toMatchObject({ pricing: { prompt: '0.00000005', source: 'override' } });
  });
});

test('the price row that began last holds, and of several from one day the one added last', () => {
  const row = (from: string, input: string): AddedPrice => ({
    model: id,
    kind: 'override',
    source: 'override',
    asOf: today,
    from,
    price: flat(input, '1'),
  });
  const rows = [row('2026-11-21', '1'), row('2026-11-20', '2'), row('2026-11-21', '3')];
  const on = (day: string) => heldOn(rows, day)?.price?.input ?? null;
  expect(['2026-11-19', '2026-11-20', '2026-11-21', '2027-01-01'].map(on)).toEqual([null, '2', '3', '3']);
});

test('a price row can be neither changed nor removed', async () => {
  const { db } = await openDatabase(':memory:');
  onTestFinished(() => db.destroy());
  const row: AddedPrice = { model: id, kind: 'override', source: 'o', asOf: today, from: today, price: flat('1', '2') };
  await addPrices(db, [row], 0);
  for (const change of [sql`UPDATE price_rows SET price = NULL`, sql`DELETE FROM price_rows`]) {
    await expect(change.execute(db)).rejects.toThrow('price rows are only ever added');
  }
});

describe('a refresh', () => {
  test('a price refresh adds new prices from today on, reports what it ignores, and adds nothing twice', async () => {
    const { gateway, pricing, ask, records, pass } = await open();
    const before = await ask();
    const rows = [
      { from: null, ...flat('0.6', '4.5') },
      { from: '2026-11-22', ...flat('0.5', '4.5') },
    ];
    const models = [
      ...document({ rows }).models,
      { ...document().models[0], id: 'acme/new' },
    ] as PriceDocument['models'];
    const url = await serving({ ...document(), models });
    expect(await gateway.operator.refreshPrices(url)).toMatchObject({
      source: 'prices.example',
      asOf: today,
      ignored: ['acme/new'],
      added: [{ model: id, from: today }, { from: '2026-11-22' }],
    });
    expect((await gateway.operator.refreshPrices(url)).added).toEqual([]);
    expect(await pricing()).toMatchObject({ prompt: '0.0000006', source: 'prices.example', as_of: today });
    expect((await records())[0]).toMatchObject({ cost_usd: before.cost_usd, price: { prompt: '0.00000075' } });
    pass(2 * 24 * 60 * 60 * 1000);
    expect(await pricing()).toMatchObject({ prompt: '0.0000005' });
  });

  test("a price refresh does not replace the operator's own price", async () => {
    const { gateway, pricing } = await open();
    await gateway.operator.overridePrice({ model: id, price: flat('3', '9') });
    const rows = [{ from: null, ...flat('0.6', '4.5') }];
    await gateway.operator.refreshPrices(await serving(document({ rows })));
    expect(await pricing()).toMatchObject({ prompt: '0.000003', source: 'override' });
    await gateway.operator.overridePrice({ model: id, price: null });
    expect(await pricing()).toMatchObject({ prompt: '0.0000006', source: 'prices.example' });
  });

  test('a price refresh with the shipped book adds nothing', async () => {
    const { gateway } = await open();
    expect((await gateway.operator.refreshPrices(await serving(shippedBook))).added).toEqual([]);
  });

  const sane = { from: null, ...flat('0.75', '4.5') };
  test.each<[string, string | object, RegExp]>([
    ['is not JSON', '<html>', /it is not JSON/],
    ['has another shape', { models: [] }, /as_of/],
    ['has a field that nobody knows', { ...document(), extra: 1 }, /document: Unrecognized key/],
    [
      'has a price that is a number',
      document({ rows: [{ ...sane, input: 0.75 as never }] }),
      /models\.0\.rows\.0\.input/,
    ],
    ['has a negative price', document({ rows: [{ ...sane, input: '-1' }] }), /models\.0\.rows\.0\.input/],
    ['is larger than 4 MiB', `{"x":"${'y'.repeat(5_000_000)}"}`, /larger than 4 MiB/],
    ['comes from the future', document({}, '2026-11-21'), /has not come yet/],
    ['is older than the book', document({}, '2020-01-01'), /it is from 2020-01-01/],
    ['has a model twice', { ...document(), models: [...document().models, ...document().models] }, /twice/],
    ['has rows in disorder', document({ rows: [{ ...sane, from: '2026-12-01' }, sane] }), /not in the order/],
    ['has no price for today', document({ rows: [{ ...sane, from: '2027-01-01' }] }), /no price of openai/],
  ])('a price refresh with a document that %s is refused completely', async (_name, body, sentence) => {
    const { gateway } = await open();
    const good = { ...document({ rows: [{ from: null, ...flat('0.7', '4') }] }).models[0], id: 'openai/gpt-5.4-nano' };
    const both =
      typeof body === 'object' && 'models' in body ? { ...body, models: [good, ...(body.models as object[])] } : body;
    const url = await serving(body);
    await expect(gateway.operator.refreshPrices(url)).rejects.toThrow(sentence);
    if (both !== body) await expect(gateway.operator.refreshPrices(await serving(both))).rejects.toThrow();
    expect(await gateway.operator.addedPrices()).toEqual([]);
  });

  test.each([
    ['http://prices.example/book.json', /https address/],
    ['https://user:secret@prices.example/book.json', /https address/],
    ['file:///etc/passwd', /https address/],
    ['nonsense', /https address/],
    ['http://127.0.0.1:1/book.json', /127.0.0.1:1 could not be read/],
  ])('a price refresh from %s is refused', async (url, sentence) => {
    const { gateway } = await open();
    await expect(gateway.operator.refreshPrices(url)).rejects.toThrow(sentence);
  });

  test('a price refresh is refused when the server answers with an error', async () => {
    const { gateway } = await open();
    await expect(gateway.operator.refreshPrices(await serving({}, 500))).rejects.toThrow(/answered 500/);
  });
});

// The gateway uses the shipped data without checking it.
test('the shipped price data matches its schemas exactly', () => {
  expect(priceDocument.parse(shippedBook)).toEqual(shippedBook);
  expect(listedBook.parse(listed)).toEqual(listed);
});

// A prompt of exactly 272,000 tokens has the lower price: the vendors' pages have "more than 272K".
test("a price tier begins above a multiple of 1,000 tokens, as the vendors' pages have it", () => {
  const { models } = priceDocument.parse(shippedBook);
  const tiers = [...models, ...listedBook.parse(listed).models].flatMap(({ rows }) => rows.flatMap((row) => row.tiers));
  const limits = tiers.map(({ above }) => above);
  expect(limits.length).toBeGreaterThan(10);
  expect(limits.filter((above) => above % 1000 !== 0)).toEqual([]);
});

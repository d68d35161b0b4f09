import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bookModel, bookPrice } from '../../../tests/gateway-doubles/newer-book.ts';
import { figure } from '../../../tests/support/figures.ts';
import { getSignature } from '../../access/auth/signed-bytes.ts';
import { shippedBook } from '../../models/prices/shipped-book.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { fetchPrices } from './fetch-prices.ts';
import { createPriceOperator } from './price-operator.ts';

/** A price book from another machine is trusted by its signature, and an older one never replaces a newer one. */

const ownKeys = generateKeyPairSync('ed25519');
const foreignKeys = generateKeyPairSync('ed25519');
const id = 'openai/gpt-5.4-mini';

const book = (asOf: string, input: string) =>
  Buffer.from(
    JSON.stringify({
      as_of: asOf,
      source: 'prices.example',
      models: [{ ...bookModel(id), rows: [{ from: null, ...bookPrice(id), input }] }],
    }),
  );

type Files = Record<string, Uint8Array | string>;
const signed = (bytes: Uint8Array, key: KeyObject = ownKeys.privateKey): Files => ({
  '/book.json': bytes,
  '/book.json.sig': `${getSignature(key, bytes)}\n`,
});

async function open() {
  const { db } = await openDatabase(':memory:');
  onTestFinished(() => db.destroy());
  let files: Files = {};
  const fetched: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    fetched.push(url);
    const file = files[url];
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Answers for other addresses come from this server too.
  const send: typeof fetch = (url, init) => fetch(`${origin}${new URL(String(url)).pathname}`, init);
  const operator = createPriceOperator({
    db,
    now: () => Date.parse('2026-11-28T12:00:00Z'),
    fetch: send,
    pricesChanged: async () => {},
  });
  return {
    operator,
    fetched,
    origin,
    serve(next: Files): void {
      files = next;
    },
    refresh: (key: KeyObject | null = ownKeys.publicKey, address = 'https://prices.example/book.json') =>
      operator.refreshPrices(address, key),
  };
}

describe('a price book', () => {
  test('a price book is adopted when our signature is beside it', async () => {
    const { serve, refresh, fetched } = await open();
    serve(signed(book('2026-11-28', '0.7')));
    expect((await refresh()).added).toMatchObject([{ model: id, price: { input: '0.7' } }]);
    expect(fetched).toEqual(['/book.json', '/book.json.sig']);
    expect((await refresh()).added).toEqual([]);
  });

  test.each<[string, (bytes: Buffer) => Files, RegExp]>([
    ['has none', (bytes) => ({ '/book.json': bytes }), /answered 404 for \/book\.json\.sig/],
    ['is empty', (bytes) => ({ '/book.json': bytes, '/book.json.sig': '' }), /no signature of it by the public key/],
    ['is by another key', (bytes) => signed(bytes, foreignKeys.privateKey), /book\.json\.sig is no signature of it/],
    [
      'is of another book',
      (bytes) => ({ ...signed(book('2026-11-28', '0.6')), '/book.json': bytes }),
      /no signature of it/,
    ],
    ['is no base64', (bytes) => ({ '/book.json': bytes, '/book.json.sig': '<html>' }), /no signature of it/],
    [
      'is of the same book in another spelling',
      (bytes) => ({ ...signed(bytes), '/book.json': `${bytes.toString()} ` }),
      /no signature of it/,
    ],
    [
      'is longer than a signature',
      (bytes) => ({ ...signed(bytes), '/book.json.sig': 'A'.repeat(5_000) }),
      /larger than 4 KiB/,
    ],
  ])('a price book is refused when its signature %s', async (_name, files, sentence) => {
    const { serve, refresh, operator } = await open();
    serve(files(book('2026-11-28', '0.7')));
    await expect(refresh()).rejects.toThrow(sentence);
    await expect(refresh()).rejects.toThrow(/The prices stay as they are\.$/);
    expect(await operator.addedPrices()).toEqual([]);
  });

  test('a price book from another machine is not even fetched without a key, and from this machine it is adopted', async () => {
    const { serve, refresh, fetched, origin } = await open();
    serve({ '/book.json': book('2026-11-28', '0.7') });
    for (const address of ['https://prices.example/book.json', 'https://10.0.0.5/book.json'])
      await expect(refresh(null, address)).rejects.toThrow(/is not this machine.*PORTICO_PRICES_KEY.*--key/);
    expect(fetched).toEqual([]);
    expect((await refresh(null, `${origin}/book.json`)).added).toHaveLength(1);
  });

  test('a price book from this machine needs the signature too when a key is configured', async () => {
    const { serve, refresh, origin } = await open();
    serve({ '/book.json': book('2026-11-28', '0.7') });
    await expect(refresh(ownKeys.publicKey, `${origin}/book.json`)).rejects.toThrow(/answered 404/);
  });

  test('a price book is refused when it is older than an adopted one, even if it is signed', async () => {
    const { serve, refresh, operator } = await open();
    serve(signed(book('2026-11-27', '0.7')));
    await refresh();
    serve(signed(book('2026-11-26', '0.6')));
    await expect(refresh()).rejects.toThrow(
      /it is from 2026-11-26, and one of 2026-11-27 \(prices\.example\) was taken/,
    );
    expect(await operator.addedPrices()).toHaveLength(1);
    serve(signed(book('2026-11-27', '0.65')));
    expect((await refresh()).added).toHaveLength(1);
    serve(signed(book('2026-11-28', '0.6')));
    expect((await refresh()).added).toHaveLength(1);
  });

  test('a price book is refused when it is older, even if the newer one changed nothing', async () => {
    const { serve, refresh } = await open();
    serve(signed(Buffer.from(JSON.stringify({ ...shippedBook, as_of: '2026-11-28' }))));
    expect((await refresh()).added).toEqual([]);
    serve(signed(book('2026-11-27', '0.7')));
    await expect(refresh()).rejects.toThrow(/one of 2026-11-28 .* was taken before/);
  });

  test('a price book is refused with one changed byte, wherever it is', async () => {
    const bytes = book('2026-11-28', '0.7');
    const signature = getSignature(ownKeys.privateKey, bytes);
    let refusals = 0;
    const property = fc.asyncProperty(
      fc.nat(bytes.length - 1),
      fc.integer({ min: 1, max: 255 }),
      async (byteIndex, by) => {
        const changed = Uint8Array.from(bytes, (byte, index) => (index === byteIndex ? (byte + by) % 256 : byte));
        const send = async (url: string | URL | Request) =>
          new Response(String(url).endsWith('.sig') ? signature : changed);
        const source = { address: 'https://prices.example/book.json', publicKey: ownKeys.publicKey };
        await expect(fetchPrices(source, send)).rejects.toThrow('is no signature of it');
        refusals += 1;
      },
    );
    await fc.assert(property, { numRuns: 500 });
    figure('prices from elsewhere', `${refusals} books with a changed byte, all refused`);
  });
});

import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { accountWithKey, command, serve, workplace } from '../../tests/gateway-doubles/cli-process.ts';
import { bookModel, bookPrice } from '../../tests/gateway-doubles/newer-book.ts';

const id = 'openai/gpt-5.4-mini';
const today = new Date().toISOString().slice(0, 10);

async function bookshop() {
  const { directory, database } = await workplace();
  await accountWithKey(database);
  const [book, keyFile] = [join(directory, 'book.json'), join(directory, 'prices.key')];
  const server = createServer(({ url = '' }, response) => response.end(readFileSync(join(directory, url))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const write = (changes: object) => {
    const models = [{ ...bookModel(id), rows: [{ from: null, ...bookPrice(id), ...changes }] }];
    writeFileSync(book, JSON.stringify({ as_of: today, source: 'prices.example', models }));
  };
  write({ input: '0.7' });
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const sign = () => command(['prices', 'sign', book, '--key-file', keyFile]);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/book.json`;
  const refresh = (...more: string[]) => command(['prices', 'refresh', '--url', url, '--db', database, ...more]);
  return { directory, database, url, book, keyFile, write, sign, refresh };
}

test('a book signed by "prices sign" is accepted with the printed key until it is changed', async () => {
  const { sign, refresh, write } = await bookshop();
  const { code, last: key } = await sign();
  expect(code).toBe(0);
  const taken = await refresh('--key', key);
  expect(taken).toMatchObject({ code: 0, stderr: '' });
  expect(taken.stdout).toContain(`${id}\tfrom ${today}\t0.7`);
  write({ input: '0.65' });
  const refused = await refresh('--key', key);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /book\.json\.sig is no signature of it by the public key.*The prices stay as they are\./,
  );
  await sign();
  expect((await refresh('--key', key)).stdout).toContain('0.65');
});

test('a running gateway accepts a signed book with the configured key, and with no other', async () => {
  const { directory, database, url, sign } = await bookshop();
  const { last: key } = await sign();
  const config = join(directory, 'config.json');
  const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' });
  writeFileSync(config, JSON.stringify({ prices: { url, key: other } }));
  const wary = await serve(database, ['--config', config], { PORTICO_PRICES_KEY: key });
  await expect.poll(wary.log, { timeout: 60_000 }).toMatch(/prices_not_refreshed.*no signature of it/);
  wary.child.kill('SIGKILL');
  await once(wary.child, 'close');
  expect((await command(['prices', 'list', '--db', database])).stdout).not.toContain('prices.example');
  const trusting = await serve(database, [], { PORTICO_PRICES_URL: url, PORTICO_PRICES_KEY: key });
  await expect.poll(trusting.log, { timeout: 60_000 }).toMatch(/prices_refreshed.*"added":1,"refused":0/);
});

test('an implausible price is named, with exit code 1', async () => {
  const { refresh, write } = await bookshop();
  write({ request: '999000000' });
  const { code, stdout, last } = await refresh();
  expect(code).toBe(1);
  expect(stdout).toContain(`${id} keeps its price, because request would go from $0 to $999 a request`);
  expect(last).toMatch(/^0 new price rows .* 1 keep their price\.$/);
  expect(JSON.parse((await refresh('--json')).stdout)).toMatchObject({ added: [], refused: [{ model: id }] });
});

test('an invalid book, an invalid key or a missing file is not signed, and the error explains why', async () => {
  const { directory, book, keyFile, sign, refresh } = await bookshop();
  expect((await command(['prices', 'sign', book])).stderr).toContain('"prices sign" needs --key-file.');
  expect((await command(['prices', 'sign', book, '--key-file', book])).stderr).toMatch(
    /holds no private Ed25519 key in PEM\. Make one by: openssl genpkey/,
  );
  expect((await command(['prices', 'sign', join(directory, 'none'), '--key-file', keyFile])).stderr).toMatch(
    /none cannot be read/,
  );
  writeFileSync(book, '{"as_of": "today"}');
  expect((await sign()).stderr).toMatch(/book\.json is no price book: as_of: .*Nothing was signed\./);
  expect((await refresh('--key', 'nonsense')).stderr).toMatch(/--key is no public Ed25519 key/);
  const elsewhere = await refresh('--url', 'https://prices.example/book.json');
  expect(elsewhere.stderr).toMatch(/prices\.example is not this machine.*Give the public key of who signs it/);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Language } from '#shared/language/messages.ts';
import { openSocket, tradeLink } from '../../../tests/support/web-page.ts';
import { printPages } from './print-pages.ts';
import { openWebHost, type WebHost } from './web-host.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-page-'));
const page = join(folder, 'renderer');
const script = 'export const view = 1;';
let web: WebHost;
const prints = printPages();
let shown: string[] = [];
/** The server's clock, in milliseconds. */
let now = 0;
let language: Language = 'en';

beforeAll(async () => {
  mkdirSync(page);
  writeFileSync(join(page, 'index.html'), '<title>Portico</title>');
  writeFileSync(join(page, 'app.js'), 'export {}');
  mkdirSync(join(page, 'assets'));
  writeFileSync(join(page, 'assets/view-B1x_-4Zq.js'), script);
  writeFileSync(join(page, 'assets/view-B1x_-4Zq.js.br'), brotliCompressSync(script));
  writeFileSync(join(page, 'assets/view-B1x_-4Zq.js.gz'), gzipSync(script));
  writeFileSync(join(folder, 'secret.txt'), 'outside');
  web = await openWebHost({
    port: 0,
    pageFolder: page,
    takePrint: prints.take,
    serve: () => {},
    printLink: (link) => shown.push(link),
    language: () => language,
    elapsed: () => now,
  });
});
beforeEach(() => {
  shown = [];
  now += 10 * 60_000;
});
afterAll(async () => {
  await web.close();
  rmSync(folder, { recursive: true });
});

/** Sends a request exactly as written. `fetch` would normalise the path and the headers. */
async function raw(lines: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(web.url).port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return text(socket);
}
const host = () => new URL(web.url).host;

test.each([
  ['br, gzip', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP;q=0.8', 'gzip'],
  ['gzip, br;q=0', 'gzip'],
  ['br ; q=0.000, gzip; q=0', null],
  ['identity', null],
  ['brotli', null],
])('a built file is compressed as the header %s allows: %s', async (accepted, encoding) => {
  const response = await fetch(`${web.url}assets/view-B1x_-4Zq.js`, { headers: { 'accept-encoding': accepted } });
  expect(response.headers.get('content-encoding')).toBe(encoding);
  expect(response.headers.get('vary')).toBe('accept-encoding');
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(await response.text()).toBe(script);
});

test.each([
  ['', 200],
  ['app.js', 200],
  ['assets/view-B1x_-4Zq.js.br', 404],
  ['assets/gone-B1x_-4Zq.js', 404],
])('/%s is not cached', async (path, status) => {
  const response = await fetch(web.url + path);
  expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'no-store']);
});

test('the page has its security headers', async () => {
  const response = await fetch(web.url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect(response.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('x-dns-prefetch-control')).toBe('off');
  expect(response.headers.get('set-cookie')).toBeNull();
  expect((await fetch(`${web.url}app.js`)).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
});

test('a page to print is served once to a frame of this origin, and may run or load nothing', async () => {
  const address = new URL(prints.serve('<title>Chats</title>'), web.url);
  const asked = (site: string, dest: string, method = 'GET') =>
    fetch(address, { method, headers: { 'sec-fetch-site': site, 'sec-fetch-dest': dest } });
  expect((await asked('cross-site', 'iframe')).status).toBe(403);
  expect((await asked('none', 'document')).status).toBe(404);
  expect((await asked('same-origin', 'empty')).status).toBe(404);
  expect((await asked('same-origin', 'iframe', 'HEAD')).status).toBe(404);
  const page = await asked('same-origin', 'iframe');
  expect(await page.text()).toBe('<title>Chats</title>');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('content-security-policy')).toContain('sandbox allow-same-origin allow-modals');
  expect(page.headers.get('x-dns-prefetch-control')).toBe('off');
  expect((await asked('same-origin', 'iframe')).status).toBe(404);
});

test('a foreign host name is refused before anything else', async () => {
  for (const name of ['evil.example', 'evil.example:80', '127.0.0.1', 'localhost.evil.example', '']) {
    expect(await raw(['GET / HTTP/1.1', `Host: ${name}`, 'Connection: close'])).toMatch(/^HTTP\/1\.1 4(21|00)/);
  }
});

test('nothing outside the page’s folder is served, however the path is spelled', async () => {
  const paths = ['/../secret.txt', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/..\\secret.txt', '/%2e%2e%5csecret.txt'];
  for (const path of [...paths, '//secret.txt', '/app.js%00.html', '/%', `/${folder}/secret.txt`]) {
    const answer = await raw([`GET ${path} HTTP/1.1`, `Host: ${host()}`, 'Connection: close']);
    expect(answer, path).toMatch(/^HTTP\/1\.1 4/);
    expect(answer).not.toContain('outside');
  }
});

test('another site can neither load the page in a frame nor post to it', async () => {
  const foreign = { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } };
  expect((await fetch(web.url, foreign)).status).toBe(403);
  expect((await fetch(web.url, { method: 'POST' })).status).toBe(405);
  const post = {
    method: 'POST',
    headers: { origin: 'http://evil.example', 'content-type': 'application/json' },
    body: '{}',
  };
  expect((await fetch(`${web.url}session`, post)).status).toBe(403);
  expect((await fetch(`${web.url}session`, { ...post, headers: { 'content-type': 'application/json' } })).status).toBe(
    403,
  );
});

test('a link opens one session and proves the server, and no new link is printed unasked', async () => {
  const link = web.newLink();
  expect(await tradeLink(link)).toMatchObject({ status: 200, proved: true });
  expect(await tradeLink(link)).toMatchObject({ status: 401, token: null });
  expect(shown).toEqual([]);
});

test('a page reloaded before the answer arrived gets the same session until it is used, and no other page gets one', async () => {
  const [link, old] = [web.newLink(), web.newLink()];
  const nonce = '1'.repeat(64);
  const first = await tradeLink(link, { nonce });
  expect(await tradeLink(link, { nonce })).toEqual(first);
  expect(await tradeLink(link)).toMatchObject({ status: 401 });
  (await openSocket(web.url, { token: first.token })).close();
  expect(await tradeLink(link, { nonce })).toMatchObject({ status: 401 });
  (await openSocket(web.url, { token: first.token })).close();

  expect(await tradeLink(old, { nonce })).toMatchObject({ status: 200 });
  now += 60_000;
  expect(await tradeLink(old, { nonce })).toMatchObject({ status: 401 });
});

test('an unused link expires after a minute', async () => {
  const [young, old] = [web.newLink(), web.newLink()];
  now += 59_999;
  expect(await tradeLink(young)).toMatchObject({ status: 200 });
  now += 1;
  expect(await tradeLink(old)).toMatchObject({ status: 401, token: null });
});

test('every unused link is revoked after a few wrong proofs', async () => {
  const guess = `${web.url}#b=${'A'.repeat(43)}`;
  const [used, unused] = [web.newLink(), web.newLink()];
  for (let tries = 0; tries < 19; tries++) expect(await tradeLink(guess)).toMatchObject({ status: 401 });
  expect(await tradeLink(used)).toMatchObject({ status: 200 });
  expect(await tradeLink(guess)).toMatchObject({ status: 401 });
  expect(await tradeLink(unused)).toMatchObject({ status: 401 });
  expect(await tradeLink(web.newLink())).toMatchObject({ status: 200 });
});

test('a proof made for another origin opens nothing', async () => {
  expect(await tradeLink(web.newLink(), { origin: 'http://127.0.0.1:9' })).toMatchObject({ status: 403 });
});

test('the socket opens only for a session of this origin', async () => {
  const { token } = await tradeLink(web.newLink());
  const socket = await openSocket(web.url, { token });
  expect(socket.protocol).toBe('portico');
  socket.close();
  await expect(openSocket(web.url, {})).rejects.toThrow('refused with 401');
  await expect(openSocket(web.url, { token: 'A'.repeat(43) })).rejects.toThrow('refused with 401');
  await expect(openSocket(web.url, { token, origin: 'http://evil.example' })).rejects.toThrow('refused with 403');
  await expect(openSocket(web.url, { token, origin: null })).rejects.toThrow('refused with 403');
  await expect(openSocket(web.url, { token, host: 'evil.example' })).rejects.toThrow('refused with 421');
  await expect(openSocket(web.url, { token, path: '/other' })).rejects.toThrow('refused with 404');
});

test('the last message of a page is still read when the server ends, and a hanging page does not delay the end', async () => {
  const read: string[] = [];
  const ending = await openWebHost({
    port: 0,
    pageFolder: page,
    takePrint: prints.take,
    printLink: () => {},
    language: () => language,
    serve: (socket) => void socket.on('message', (data) => read.push(String(data))),
    elapsed: () => now,
  });
  const { token } = await tradeLink(ending.newLink());
  const [leaving, hanging] = [await openSocket(ending.url, { token }), await openSocket(ending.url, { token })];
  hanging.pause();
  leaving.send('a scroll position');
  leaving.terminate();
  await ending.close();
  expect(read).toEqual(['a scroll position']);
});

test('the connect page prints a fresh link in the terminal, but not again within five seconds', async () => {
  const ask = async () => (await fetch(`${web.url}connect`)).text();
  expect(await ask()).toContain('A fresh link has just been printed there');
  now += 4_999;
  await ask();
  const [first = '', ...more] = shown;
  expect(more).toEqual([]);
  expect(await tradeLink(first)).toMatchObject({ status: 200 });
  await ask();
  now += 5_000;
  await ask();
  expect(shown).toHaveLength(3);
  now += 59_999;
  expect(await tradeLink(shown[2] ?? '')).toMatchObject({ status: 200 });
});

test('the connect page has its style', async () => {
  expect(await (await fetch(`${web.url}connect`)).text()).toContain('<link rel="stylesheet" href="/connect.css">');
  expect((await fetch(`${web.url}connect.css`)).headers.get('content-type')).toBe('text/css; charset=utf-8');
});

test('refusals are in the language of the app', async () => {
  language = 'en-XA';
  const page = await (await fetch(`${web.url}connect`)).text();
  expect(page).toContain('<html lang="en-XA">');
  const text = page.replace(/<code>.*?<\/code>|<[^>]+>|⟦[^⟧]*⟧/g, '');
  expect(text.trim()).toBe('');
  expect(await (await fetch(`${web.url}nowhere`)).text()).toMatch(/^⟦.*⟧$/m);
  language = 'en';
});

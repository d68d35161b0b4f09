import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import type { ChatMessage } from '#shared/wire/chat-request.ts';
import { addressesIn, type Download, fetchFiles, withFiles } from './fetched-files.ts';
import { type DownloadRules, guardedDownload } from './guarded-download.ts';

let server: Server;
let port = 0;
let answer: RequestListener = (_request, response) => void response.end();
const asked: { host: string | undefined; path: string | undefined; headers: object }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push({ host: request.headers.host, path: request.url, headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const loopback = { address: '127.0.0.1', family: 4 };
const limits = { maxBytes: 1_000, timeoutMs: 5_000 };
/** The real rules, except that the test's own server counts as public under the name `files.example`. */
const rules: Partial<DownloadRules> = {
  protocols: ['http:', 'https:'],
  mayReach: (address) => address === '127.0.0.1',
  resolve: async (name) => (name === 'files.example' ? [loopback] : [{ address: '10.0.0.1', family: 4 }]),
};
const get = (path: string, more: object = {}) =>
  guardedDownload(`http://files.example:${port}${path}`, { ...limits, rules, ...more });
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'it was fetched',
    (error: unknown) => (error instanceof AppError ? `${error.code}: ${error.message}` : String(error)),
  );

describe("the download's own rules", () => {
  test.each([
    ['http://example.com/a.png', /only https/],
    ['file:///etc/passwd', /only https/],
    ['https://user:secret@example.com/a.png', /user name or password/],
    ['https://127.0.0.1/a', /not on the public internet/],
    ['https://[::ffff:127.0.0.1]/a', /not on the public internet/],
    ['https://0x7f000001/a', /not on the public internet/],
    ['https://2130706433/a', /not on the public internet/],
    ['https://169.254.169.254/latest/meta-data', /not on the public internet/],
    ['https://[64:ff9b::7f00:1]/a', /not on the public internet/],
    ['https://localhost/a', /not on the public internet/],
    ['not an address', /not valid/],
  ])('a download of %s is refused', async (address, why) => {
    const error = await refusal(guardedDownload(address, limits));
    expect(error).toMatch(/^file_download_failed: /);
    expect(error).toMatch(why);
    expect(error).not.toMatch(/secret|meta-data|passwd/);
  });

  test('a download is refused if one address of its name is not public', async () => {
    const resolve = async () => [{ address: '8.8.8.8', family: 4 }, loopback];
    expect(await refusal(guardedDownload('https://two.example/a', { ...limits, rules: { resolve } }))).toMatch(
      /not on the public internet/,
    );
  });

  test('a download is refused if its name has no address', async () => {
    const resolve = async () => [];
    expect(await refusal(guardedDownload('https://none.example/a', { ...limits, rules: { resolve } }))).toMatch(
      /^file_download_failed: .*its name has no address/,
    );
  });

  test('a download resolves its name once and connects to that address', async () => {
    let resolved = 0;
    const resolve = async () => {
      resolved += 1;
      return [resolved === 1 ? loopback : { address: '10.0.0.1', family: 4 }];
    };
    answer = (_request, response) => void response.end('hello');
    const { bytes } = await get('/a', { rules: { ...rules, resolve } });
    expect([bytes.toString(), resolved, asked.at(-1)?.host]).toEqual(['hello', 1, `files.example:${port}`]);
  });
});

describe('a redirect', () => {
  const to =
    (location: string): RequestListener =>
    (_request, response) =>
      void response.writeHead(302, { location }).end();

  test('a redirect is followed to a URL that passes the same checks', async () => {
    answer = (request, response) => (request.url === '/a' ? to('/b')(request, response) : void response.end('moved'));
    const { bytes, url } = await get('/a');
    expect([bytes.toString(), url]).toEqual(['moved', `http://files.example:${port}/b`]);
  });

  test.each(['http://inside.example/x', 'http://10.0.0.1/x', 'ftp://files.example/x', 'http://me:pw@files.example/x'])(
    'a redirect to %s is refused without a connection',
    async (location) => {
      answer = to(location);
      asked.length = 0;
      expect(await refusal(get('/a'))).toMatch(/^file_download_failed/);
      expect(asked).toHaveLength(1);
    },
  );

  test('a circle of redirects ends after three', async () => {
    answer = to('/again');
    asked.length = 0;
    expect(await refusal(get('/a'))).toMatch(/more than 3 times/);
    expect(asked).toHaveLength(4);
  });
});

describe('a download that fails', () => {
  test.each([
    ['declared in a header', { 'content-length': '5000' }],
    ['not declared', {}],
  ])('a download that is too large, with its size %s, fails with the limit', async (_name, headers) => {
    answer = (_request, response) => void response.writeHead(200, headers).end('x'.repeat(5_000));
    expect(await refusal(get('/a'))).toMatch(/larger than 1000 bytes/);
  });

  test('a download that takes too long fails with that reason, and an abort keeps its own reason', async () => {
    answer = (_request, response) => void response.writeHead(200).write('x');
    expect(await refusal(get('/a', { timeoutMs: 50 }))).toMatch(/did not come in time/);
    const abort = new AbortController();
    const reason = new AppError('client_closed_request', 'gone');
    answer = (_request, response) => {
      response.writeHead(200).write('x');
      abort.abort(reason);
    };
    await expect(get('/a', { signal: abort.signal })).rejects.toBe(reason);
  });

  test('a download with an error status or a broken connection fails with that reason', async () => {
    answer = (_request, response) => void response.writeHead(404).end();
    expect(await refusal(get('/secret-path'))).toMatch(/status 404/);
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('x', () => response.destroy());
    };
    expect(await refusal(get('/secret-path'))).toMatch(/broke the connection off/);
    expect(await refusal(get('/secret-path'))).not.toContain('secret-path');
  });
});

test('a download sends no cookies, credentials or other headers of the app', async () => {
  answer = (_request, response) => void response.end('x');
  await get('/a');
  expect(Object.keys(asked.at(-1)?.headers ?? {}).sort()).toEqual([
    ...['accept', 'accept-encoding', 'connection', 'host', 'user-agent'],
  ]);
});

test.each([
  ['text/html; charset="ISO-8859-1"', ['text/html', 'iso-8859-1']],
  ['Text/Plain;format=flowed', ['text/plain', null]],
])('the content type %s is split into type and charset', async (header, parts) => {
  answer = (_request, response) => void response.writeHead(200, { 'content-type': header }).end('x');
  const { contentType, charset } = await get('/a');
  expect([contentType, charset]).toEqual(parts);
});

test('a compressed answer is refused, because none was requested', async () => {
  answer = (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'));
  expect(await refusal(get('/a'))).toMatch(/sent it compressed/);
  answer = (_request, response) => void response.writeHead(200, { 'content-encoding': 'identity' }).end('x');
  expect((await get('/a')).bytes.toString()).toBe('x');
});

describe('images of a conversation', () => {
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
  const image = (url: string) => ({ type: 'image_url' as const, image_url: { url, detail: undefined } });
  const user = (...content: ReturnType<typeof image>[]): ChatMessage => ({ role: 'user', content, name: undefined });
  const none = new AbortController().signal;

  async function withFetchedFiles(messages: readonly ChatMessage[], signal: AbortSignal, download?: Download) {
    const images = await fetchFiles(addressesIn(messages), signal, download);
    return messages.map((message) => withFiles(message, images ?? new Map()));
  }

  test('downloaded images replace their URLs, each downloaded once, with the type that their bytes show', async () => {
    const fetched: string[] = [];
    const download = async (url: string) => {
      fetched.push(url);
      return { bytes: png, contentType: 'text/html', charset: null, url };
    };
    const kept = image('data:image/png;base64,AAAA');
    const messages = [user(image('https://a.example/1'), kept), user(image('https://a.example/1'))];
    const data = image(`data:image/png;base64,${png.toString('base64')}`);
    expect(await withFetchedFiles(messages, none, download)).toEqual([user(data, kept), user(data)]);
    expect(fetched).toEqual(['https://a.example/1']);
  });

  test("files that are not images, or can't be downloaded, fail with their place in the request", async () => {
    const page = async (url: string) => ({
      bytes: Buffer.from('<html>'),
      contentType: 'image/png',
      charset: null,
      url,
    });
    const param = 'messages[0].content[1].image_url.url';
    const messages = [user(image('data:image/png;base64,AAAA'), image('https://a.example/1'))];
    await expect(withFetchedFiles(messages, none, page)).rejects.toMatchObject({
      code: 'file_download_failed',
      param,
    });
    await expect(withFetchedFiles([user(image('https://127.0.0.1/x'))], none)).rejects.toMatchObject({
      code: 'file_download_failed',
      param: 'messages[0].content[0].image_url.url',
    });
  });
});

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DownloadRules, guardedDownload } from '#gateway/providers/upstream/guarded-download.ts';
import { imageLimits } from '#shared/contract/chat/images.ts';
import { seeded } from '../../../../tests/seed/random.ts';
import { chartPng } from '../../../../tests/seed/real-files.ts';
import { testCore } from '../../../../tests/support/test-core.ts';
import { imagesFeature } from './images-feature.ts';

let server: Server;
let address = '';
let answer: RequestListener = (_, response) => void response.end();
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://pictures.example:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** The real rules, except that the test's own server counts as public under the name `pictures.example`. */
const rules: Partial<DownloadRules> = {
  protocols: ['http:', 'https:'],
  mayReach: (found) => found === '127.0.0.1',
  resolve: async (name) => [{ address: name === 'pictures.example' ? '127.0.0.1' : '10.0.0.1', family: 4 }],
};
const images = imagesFeature({ download: (url, options) => guardedDownload(url, { ...options, rules }) });
const picture = chartPng(seeded(1));
const respond =
  (type: string, body: Buffer | string): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  };
const refusal = () =>
  images.fetch({ url: `${address}/a.png` }).then(
    () => 'it was shown',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

test('the type of a picture is detected from its bytes, whatever its server reports', async () => {
  answer = respond('text/html', picture);
  expect(await images.fetch({ url: `${address}/a.svg` })).toEqual({
    mediaType: 'image/png',
    base64: picture.toString('base64'),
    width: 320,
    height: 180,
  });
});

/** Creates a real PNG of one colour: a hundred thousand pixels wide and high, in a few bytes. */
function bomb(): Buffer {
  const png = Buffer.from(picture);
  png.writeUInt32BE(100_000, 16);
  png.writeUInt32BE(100_000, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return Buffer.concat([png.subarray(0, 33), deflateSync(Buffer.alloc(1000))]);
}
const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

test.each<[string, RequestListener, RegExp]>([
  ['an SVG with a script in it', respond('image/svg+xml', script), /no PNG, JPEG, WebP or GIF/],
  ['a page that its server calls a picture', respond('image/png', '<!doctype html><script>1</script>'), /no PNG/],
  ['a PDF', respond('image/png', '%PDF-1.7'), /no PNG/],
  ['a picture of ten thousand megapixels', respond('image/png', bomb()), /100000 × 100000 pixels/],
  ['a picture that is cut off in its header', respond('image/png', picture.subarray(0, 18)), /damaged/],
  [
    'a picture with a declared size of fifty megabytes',
    (_, response) => void response.writeHead(200, { 'content-length': 50_000_000 }).flushHeaders(),
    /larger than/,
  ],
  [
    'an endless picture',
    (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 1)));
      };
      response.on('drain', more);
      more();
    },
    new RegExp(`larger than ${imageLimits.bytes}`),
  ],
  [
    'a redirect to this computer',
    (_, response) => void response.writeHead(302, { location: 'http://inside.example/x.png' }).end(),
    /not on the public internet/,
  ],
  ['a picture that its server does not have', (_, response) => void response.writeHead(404).end(), /status 404/],
])('%s is not shown, and the error explains why', async (_, hostile, why) => {
  answer = hostile;
  const outcome = await refusal();
  expect(outcome).toMatch(/^file_download_failed: /);
  expect(outcome).toMatch(why);
});

test('the app itself fetches pictures only over https and only from public hosts', async () => {
  const core = await testCore();
  const before = asked.length;
  const { port } = server.address() as AddressInfo;
  for (const url of [`http://127.0.0.1:${port}/a.png`, `https://127.0.0.1:${port}/a.png`, 'file:///etc/passwd', 'x']) {
    await expect(core.client.images.fetch({ url })).rejects.toMatchObject({ code: 'file_download_failed' });
  }
  expect(asked).toHaveLength(before);
  await core.close();
});

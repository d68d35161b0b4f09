import { generateKeyPairSync, sign } from 'node:crypto';
import type { RequestOptions } from 'node:http';
import type { AppUpdater } from 'electron-updater';
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';
import { expect, test } from 'vitest';
import { toProblemText } from '#shared/language/refusals.ts';
import { SignedFeed } from './signed-feed.ts';
import { updateFailure } from './updates.ts';

const ours = generateKeyPairSync('ed25519');
const publicKey = ours.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const feed = JSON.stringify({ version: '0.2.0', files: [{ url: 'new.AppImage', sha512: 'x', size: 1 }] });
const signed = (text: string, key = ours.privateKey) => sign(null, Buffer.from(text), key).toString('base64');

/** A server of static files. A missing file is a 404 with the message of electron-updater's own client. */
function feedWith(files: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const executor = {
    async request({ path }: RequestOptions): Promise<string> {
      const name = (path ?? '').replace(/\?.*/, '');
      asked.push(name);
      const file = files[name];
      if (file === undefined) throw new Error('404 Not Found');
      return file;
    },
  };
  const runtime = { platform: 'linux', executor, isUseMultipleRangeRequest: true };
  const provider = new SignedFeed(
    { provider: 'custom', updateProvider: SignedFeed, url: 'https://updates.example/portico/', publicKey },
    { channel: null, isAddNoCacheQuery: true } as unknown as AppUpdater,
    runtime as unknown as ProviderRuntimeOptions,
  );
  return { provider, asked };
}

test('a feed with our signature is read, and its packages are in the same folder', async () => {
  const { provider, asked } = feedWith({
    '/portico/latest-linux.yml': feed,
    '/portico/latest-linux.yml.sig': `${signed(feed)}\n`,
  });
  const update = await provider.getLatestVersion();
  expect(update.version).toBe('0.2.0');
  expect(provider.resolveFiles(update).map(({ url }) => url.href)).toEqual([
    'https://updates.example/portico/new.AppImage',
  ]);
  expect(asked).toEqual(['/portico/latest-linux.yml', '/portico/latest-linux.yml.sig']);
});

const otherKey = generateKeyPairSync('ed25519').privateKey;
test.each([
  ['is missing', undefined],
  ['is empty', ''],
  ['is of another key', signed(feed, otherKey)],
  ['is of another file', signed(feed.replace('0.2.0', '0.1.0'))],
  ['is not base64', '<html>'],
  ['is cut off', signed(feed).slice(0, 40)],
])('a feed is refused as not verified when its signature %s', async (_case, signature) => {
  const files = { '/portico/latest-linux.yml': feed };
  const { provider } = feedWith(
    signature === undefined ? files : { ...files, '/portico/latest-linux.yml.sig': signature },
  );
  const error: unknown = await provider.getLatestVersion().catch((cause: unknown) => cause);
  expect(updateFailure(error, false, false)).toEqual(toProblemText('updateNotVerified'));
});

test('a missing feed is reported as unreachable, not as unsigned', async () => {
  const error: unknown = await feedWith({})
    .provider.getLatestVersion()
    .catch((cause: unknown) => cause);
  expect(updateFailure(error, false, false)).toEqual(toProblemText('updateUnreachable', { why: '404' }));
});

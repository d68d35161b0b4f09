import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { uploadedFiles } from '../transfer-feature.ts';
import { largestExport } from './open-export.ts';

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-uploads-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const original = join(folder, 'chats.json');
  writeFileSync(original, '[]');
  const kept = join(folder, 'kept');
  return { original, uploads: uploadedFiles(kept), kept: () => readdirSync(kept) };
}

test('a file larger than the limit for exports is not copied', async () => {
  const { original, uploads, kept } = open();
  // The file is sparse, so it takes no disk space.
  truncateSync(original, largestExport + 1);
  const copied = uploads.copy('one', original);
  await expect(copied).rejects.toMatchObject({ code: 'import_refused', refusal: { name: 'importTooLarge' } });
  expect(kept()).toEqual([]);
});

test('an upload whose pieces exceed the limit is refused and removed', () => {
  const { uploads, kept } = open();
  uploads.begin('one');
  truncateSync(uploads.toPath('one'), largestExport);
  expect(() => uploads.append('one', largestExport, Buffer.from('x'))).toThrow(
    expect.objectContaining({ code: 'import_refused' }),
  );
  expect(kept()).toEqual([]);
});

test.skipIf(process.platform === 'win32')('a path that is not a regular file is not copied', async () => {
  const { uploads, kept } = open();
  const copied = uploads.copy('one', '/dev/null');
  await expect(copied).rejects.toMatchObject({ refusal: { name: 'importUnreadable' } });
  expect(kept()).toEqual([]);
});

test('an aborted copy leaves nothing behind', async () => {
  const { original, uploads, kept } = open();
  const copied = uploads.copy('one', original, AbortSignal.abort());
  await expect(copied).rejects.toMatchObject({ code: 'cancelled' });
  expect(kept()).toEqual([]);
});

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

test('a file that is larger than an export may be is not copied', async () => {
  const { original, uploads, kept } = open();
  // Sparse: it takes no room.
  truncateSync(original, largestExport + 1);
  const copied = uploads.copy('one', original);
  await expect(copied).rejects.toMatchObject({ code: 'import_refused', refusal: { name: 'importTooLarge' } });
  expect(kept()).toEqual([]);
});

test('neither is one whose pieces come to more', () => {
  const { uploads, kept } = open();
  uploads.begin('one');
  truncateSync(uploads.toPath('one'), largestExport);
  expect(() => uploads.append('one', largestExport, Buffer.from('x'))).toThrow(
    expect.objectContaining({ code: 'import_refused' }),
  );
  expect(kept()).toEqual([]);
});

test.skipIf(process.platform === 'win32')('neither is what is no file', async () => {
  const { uploads, kept } = open();
  const copied = uploads.copy('one', '/dev/null');
  await expect(copied).rejects.toMatchObject({ refusal: { name: 'importUnreadable' } });
  expect(kept()).toEqual([]);
});

test('a copy that is given up leaves nothing', async () => {
  const { original, uploads, kept } = open();
  const copied = uploads.copy('one', original, AbortSignal.abort());
  await expect(copied).rejects.toMatchObject({ code: 'cancelled' });
  expect(kept()).toEqual([]);
});

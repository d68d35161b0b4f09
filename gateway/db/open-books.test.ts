import { mkdtempSync, readdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openBooks } from './open.ts';

/** The files in a folder that this process has open. */
const openIn = (folder: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const file = readlinkSync(join('/proc/self/fd', name));
      return file.startsWith(folder) ? [file] : [];
    } catch {
      // The one that listed them.
      return [];
    }
  });

test('a damaged file is not kept open, so that it can be moved away at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-damaged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'books.db');
  writeFileSync(file, 'This was a database once. '.repeat(400));
  await expect(openBooks(file)).rejects.toThrow('file is not a database');
  // Windows would refuse it by itself.
  renameSync(file, `${file}.away`);
  if (process.platform === 'linux') expect(openIn(folder)).toEqual([]);
});

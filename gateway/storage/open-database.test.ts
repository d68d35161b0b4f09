import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFilesIn } from '../../tests/support/open-files.ts';
import { openDatabase } from './open-database.ts';

test('a damaged file is not kept open, so it can be moved away at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-damaged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'ledger.db');
  writeFileSync(file, 'This was a database once. '.repeat(400));
  await expect(openDatabase(file)).rejects.toThrow('file is not a database');
  // Windows refuses to rename an open file. Other systems don't, so the open files are checked too.
  renameSync(file, `${file}.away`);
  expect(openFilesIn(folder)).toEqual([]);
});

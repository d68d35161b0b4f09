import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPageFile } from './page.ts';

test('a file is served only under its exact spelling, even if the file system ignores case', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-page-'));
  try {
    mkdirSync(join(folder, 'diagram'));
    writeFileSync(join(folder, 'index.html'), 'main');
    writeFileSync(join(folder, 'diagram', 'index.html'), 'diagram');
    // A link imitates a file system without case: both spellings lead to the same file.
    symlinkSync(join(folder, 'diagram', 'index.html'), join(folder, 'diagram', 'INDEX.html'));
    const text = async (path: string) => (await readPageFile(folder, path))?.body.toString() ?? null;
    expect(await text('/')).toBe('main');
    expect(await text('/diagram/index.html')).toBe('diagram');
    expect(await text('/diagram/INDEX.html')).toBe(null);
    expect(await text('/missing.html')).toBe(null);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

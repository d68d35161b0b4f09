import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPageFile } from './page.ts';

test('a file is served by its own spelling only, also where the file system takes others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-page-'));
  try {
    mkdirSync(join(folder, 'diagram'));
    writeFileSync(join(folder, 'index.html'), 'main');
    writeFileSync(join(folder, 'diagram', 'index.html'), 'diagram');
    // As a file system without case answers: the other spelling leads to the same file.
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

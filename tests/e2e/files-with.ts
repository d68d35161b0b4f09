import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the files of a folder, at any depth, whose bytes contain a secret. */
export async function filesWith(folder: string, secret: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(files.map(async (file) => (await readFile(file)).includes(secret)));
  return files.filter((_, index) => found[index]);
}

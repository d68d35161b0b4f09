import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, copyFile, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The attached files of all backups, each once by the SHA-256 of its bytes: `files/ab/abcdef…`. A file that never changes
 * needs no second copy on the same disk, so it is linked; where that cannot be, it is copied.
 */
export function backupAttachments(backupFolder: string, attachmentFolder: string) {
  const pool = join(backupFolder, 'files');
  const inPool = (id: string) => join(pool, id.slice(0, 2), id);
  const inUse = (id: string) => join(attachmentFolder, id.slice(0, 2), id);

  return {
    /** Takes in what is not there yet; answers with how many of them are nowhere any more. */
    async add(ids: readonly string[]): Promise<number> {
      let missing = 0;
      for (const id of ids) {
        if (await exists(inPool(id))) continue;
        if (await exists(inUse(id))) await place(inUse(id), inPool(id));
        else missing++;
      }
      return missing;
    },

    /** Brings back what is gone or damaged, if it is whole here; answers with how many are not. */
    async restore(ids: readonly string[]): Promise<number> {
      let missing = 0;
      for (const id of ids) {
        if (await isWhole(inUse(id), id)) continue;
        if (await isWhole(inPool(id), id)) await place(inPool(id), inUse(id));
        else missing++;
      }
      return missing;
    },

    /** Removes what no backup names any more, and what a crash left half-written. */
    async keepOnly(ids: ReadonlySet<string>): Promise<void> {
      for (const entry of await readdir(pool, { recursive: true, withFileTypes: true }).catch(() => [])) {
        if (entry.isFile() && !ids.has(entry.name)) await rm(join(entry.parentPath, entry.name), { force: true });
      }
    },
  };
}

/** Under another name first: what stands at `to` is always whole. */
async function place(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const part = join(dirname(to), `.${randomUUID()}`);
  try {
    await link(from, part).catch(() => copyDurably(from, part));
    await rename(part, to);
  } finally {
    // Two names of one file are left as they are by `rename`.
    await rm(part, { force: true });
  }
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const file = await open(to, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );

async function isWhole(path: string, id: string): Promise<boolean> {
  if (!(await exists(path))) return false;
  const hash = createHash('sha256');
  try {
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  } catch {
    // A file that cannot be read is as good as gone: it is brought back, or counted as missing.
    return false;
  }
  return hash.digest('hex') === id;
}

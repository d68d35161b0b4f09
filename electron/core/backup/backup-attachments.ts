import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, copyFile, link, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { renameFile } from '#gateway/storage/rename-file.ts';
import { attachmentPath } from '../storage/database/stored-attachments.ts';

/**
 * The attachments of all backups, each stored once by its SHA-256: `files/ab/abcdef…`. They never change, so they are
 * hard links where possible, otherwise copies.
 */
export function backupAttachments(backupFolder: string, attachmentFolder: string) {
  const pool = join(backupFolder, 'files');
  const places = (id: string) => {
    const [inPool, inUse] = [attachmentPath(pool, id), attachmentPath(attachmentFolder, id)];
    return inPool !== null && inUse !== null ? { inPool, inUse } : null;
  };

  return {
    /** Adds files that aren't in the backups yet. Returns how many of them could not be found. */
    async add(ids: readonly string[]): Promise<number> {
      let missing = 0;
      for (const id of ids) {
        const place = places(id);
        if (place && (await exists(place.inPool))) continue;
        if (place && (await exists(place.inUse))) await putFile(place.inUse, place.inPool);
        else missing++;
      }
      return missing;
    },

    /**
     * Restores files that are missing or damaged in the data folder. Returns how many could not be restored, because
     * the backup lacks them or has them damaged.
     */
    async restore(ids: readonly string[]): Promise<number> {
      let missing = 0;
      for (const id of ids) {
        const place = places(id);
        if (place && (await isWhole(place.inUse, id))) continue;
        if (place && (await isWhole(place.inPool, id))) await putFile(place.inPool, place.inUse);
        else missing++;
      }
      return missing;
    },

    /** Removes files that no backup references, and half-written files that a crash left. */
    async keepOnly(ids: ReadonlySet<string>): Promise<void> {
      for (const entry of await readdir(pool, { recursive: true, withFileTypes: true }).catch(() => [])) {
        if (entry.isFile() && !ids.has(entry.name)) await rm(join(entry.parentPath, entry.name), { force: true });
      }
    },
  };
}

/** Writes under a temporary name first, so a file at `to` is always complete. */
async function putFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const part = join(dirname(to), `.${randomUUID()}`);
  try {
    await link(from, part).catch(() => copyDurably(from, part));
    await renameFile(part, to);
  } finally {
    // `rename` does nothing if both names are hard links to the same file.
    await rm(part, { force: true });
  }
}

/** Makes a copy that is complete even after a power failure. */
export async function copyDurably(from: string, to: string): Promise<void> {
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
    // An unreadable file counts as missing.
    return false;
  }
  return hash.digest('hex') === id;
}

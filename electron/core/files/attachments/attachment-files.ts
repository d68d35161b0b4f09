import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { renameFile } from '#gateway/storage/rename-file.ts';
import { refusal } from '#shared/language/refusals.ts';
import { attachmentPath } from '../../storage/database/stored-attachments.ts';

/** What is there is no folder, or not ours to write. */
const closed: ReadonlySet<string> = new Set(['ENOTDIR', 'EEXIST', 'ELOOP', 'EACCES', 'EPERM', 'EROFS']);

/** Stores files by the SHA-256 of their bytes. */
export function attachmentFiles(folder: string) {
  return {
    /** Writes the bytes durably under their hash, unless they are stored already. Returns the hash. */
    async write(bytes: Uint8Array): Promise<string> {
      const id = createHash('sha256').update(bytes).digest('hex');
      const path = attachmentPath(folder, id);
      if (path === null) throw new Error('a digest is no id');
      if (await exists(path)) return id;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
        if (!closed.has(cause.code ?? '')) throw cause;
        throw refusal('data_folder_unavailable', 'attachmentsNotKept', { path: folder }, { cause });
      });
      const temporary = join(dirname(path), `.${randomUUID()}`);
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await renameFile(temporary, path);
      return id;
    },

    /** Reads the complete file. Returns null if it is missing. */
    async read(id: string): Promise<Buffer | null> {
      const path = attachmentPath(folder, id);
      if (path === null) return null;
      return readFile(path).catch((error: NodeJS.ErrnoException) => {
        // Something else may have the place of the folder.
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
        throw error;
      });
    },

    /** Returns the ids of all files. Also removes half-written files that a crash left. */
    async ids(): Promise<string[]> {
      const found: string[] = [];
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
        if (!entry.isFile()) continue;
        if (entry.name.startsWith('.')) await rm(join(entry.parentPath, entry.name), { force: true });
        else found.push(entry.name);
      }
      return found;
    },

    async remove(id: string): Promise<void> {
      const path = attachmentPath(folder, id);
      if (path !== null) await rm(path, { force: true });
    },
  };
}

const exists = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );

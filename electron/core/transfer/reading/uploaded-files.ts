import {
  appendFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import { largestExport } from './open-export.ts';

const uploadIds = /^[\w-]{1,64}$/;

/** Files being uploaded for an import. A file never comes with a path. */
export function uploadedFiles(folder: string) {
  rmSync(folder, { recursive: true, force: true });
  const uploads = new Set<string>();

  function toPath(uploadId: string): string {
    if (!uploads.has(uploadId) || !uploadIds.test(uploadId)) {
      throw refusal('not_found', 'importGivenUp');
    }
    return join(folder, uploadId);
  }

  function forget(uploadId: string): void {
    if (!uploads.delete(uploadId)) return;
    const path = join(folder, uploadId);
    if (existsSync(path)) rmSync(path);
  }

  function begin(uploadId: string): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, uploadId), '', { mode: 0o600 });
    uploads.add(uploadId);
  }

  /** A copy of a file on this computer: what is looked at is what is imported, whatever becomes of the original meanwhile. */
  async function copy(uploadId: string, original: string, signal?: AbortSignal): Promise<void> {
    begin(uploadId);
    try {
      // Looked at first: to open a pipe or a device waits for ever.
      const found = statSync(original);
      if (!found.isFile()) throw refusal('import_refused', 'importUnreadable');
      if (found.size > largestExport) throw refusal('import_refused', 'importTooLarge');
      await pipeline(createReadStream(original, { end: largestExport - 1 }), createWriteStream(toPath(uploadId)), {
        signal,
      });
    } catch (cause) {
      forget(uploadId);
      if (cause instanceof AppError) throw cause;
      if (signal?.aborted) throw refusal('cancelled', 'importGivenUp');
      const isGone = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
      if (isGone) throw refusal('not_found', 'importFileGone', { file: basename(original) }, { cause });
      throw refusal('import_refused', 'importUnreadable', { cause });
    }
  }

  return {
    copy,
    begin,
    toPath,
    forget,
    /** Appends bytes; returns the size so far. */
    append(uploadId: string, offset: number, bytes: Buffer): number {
      const path = toPath(uploadId);
      const { size } = statSync(path);
      if (size !== offset) {
        throw refusal('invalid_input', 'importPieceMissing');
      }
      if (size + bytes.length > largestExport) {
        forget(uploadId);
        throw refusal('import_refused', 'importTooLarge');
      }
      appendFileSync(path, bytes);
      return size + bytes.length;
    },
  };
}

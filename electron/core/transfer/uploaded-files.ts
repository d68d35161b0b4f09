import { appendFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refusal } from '#shared/language/refusals.ts';
import { largestExport } from './reading/open-export.ts';

const uploadIds = /^[\w-]{1,64}$/;

/** Files being uploaded for an import. A file never comes with a path. */
export function uploadedFiles(folder: string) {
  rmSync(folder, { recursive: true, force: true });
  const uploads = new Set<string>();

  function pathOf(uploadId: string): string {
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

  return {
    pathOf,
    forget,
    begin(uploadId: string): void {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, uploadId), '', { mode: 0o600 });
      uploads.add(uploadId);
    },
    /** Appends bytes; returns the size so far. */
    append(uploadId: string, offset: number, bytes: Buffer): number {
      const path = pathOf(uploadId);
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

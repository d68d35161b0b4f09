import { open, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { renameFile } from '#gateway/storage/rename-file.ts';
import { chatsFile } from '#shared/chats-file.ts';
import type { SavedFormat } from '#shared/contract/chat/transfer.ts';
import { AppError, isDiskFull } from '#shared/errors.ts';
import { fileName } from '#shared/file-name.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { Output } from '../runtime/host/host.ts';
import type { ChatsWriter } from './export-chats.ts';

/** A larger page is unusable, and a browser needs gigabytes to lay it out. In UTF-16 units. */
const maxPage = 80_000_000;
const endings = { markdown: 'md', html: 'html', json: 'json', portico: chatsFile.ending, pdf: 'pdf' } as const;

interface Wanted {
  readonly ids: string[];
  readonly format: SavedFormat;
  readonly name: string;
}

/** Saves or prints chats, as far as the host can. */
export function chatsSaver(write: ChatsWriter, output: Output) {
  async function page(ids: string[], format: 'paper' | 'print', signal: AbortSignal | undefined): Promise<string> {
    const parts: string[] = [];
    let length = 0;
    for await (const text of write(ids, format, signal)) {
      parts.push(text);
      length += text.length;
      if (length > maxPage) {
        throw refusal('export_failed', 'tooMuchForPdf');
      }
    }
    return parts.join('');
  }

  return {
    async save({ ids, format, name }: Wanted, signal = new AbortController().signal) {
      if (output.kind !== 'dialog') throw refusal('invalid_input', 'browserSaves');
      const path = await output.askWhere(`${fileName(name)}.${endings[format]}`);
      if (path === null) return { savedAs: null };
      const content =
        format === 'pdf'
          ? [await output.printPdf(await page(ids, 'paper', signal), signal)]
          : write(ids, format, signal);
      await writeWhole(path, content, signal);
      return { savedAs: basename(path) };
    },

    async preparePrint({ ids }: { ids: string[] }, signal?: AbortSignal) {
      if (output.kind !== 'browser') throw refusal('invalid_input', 'savedAsPdf');
      return { path: output.servePrint(await page(ids, 'print', signal)) };
    },
  };
}

type Content = AsyncIterable<string | Uint8Array> | readonly Uint8Array[];

/** Writes to a temporary file and renames it: an existing file stays until the new one is complete. */
async function writeWhole(path: string, content: Content, signal: AbortSignal): Promise<void> {
  const part = `${path}.part`;
  try {
    const file = await open(part, 'w', 0o600);
    try {
      for await (const piece of content) await file.appendFile(piece);
      signal.throwIfAborted();
      await file.sync();
    } finally {
      await file.close();
    }
    await renameFile(part, path);
  } catch (cause) {
    await rm(part, { force: true });
    throw cause instanceof AppError ? cause : unwritten(path, cause, signal);
  }
}

function unwritten(path: string, cause: unknown, signal: AbortSignal): AppError {
  if (signal.aborted) return refusal('cancelled', 'exportGivenUp');
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  const why = isDiskFull(cause) ? 'full' : code === 'EACCES' || code === 'EPERM' ? 'forbidden' : null;
  return refusal('export_failed', 'notWritten', { file: basename(path), why }, { cause });
}

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
import { open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { renameFile } from '#gateway/storage/rename-file.ts';
import { chatsFile } from '#shared/chats-file.ts';
import type { ExportedConversation } from '#shared/contract/chat/exported-conversation.ts';
import type { ExportFormat, ImportPreview, SavedFormat } from '#shared/contract/chat/transfer.ts';
import { AppError, isDiskFull } from '#shared/errors.ts';
import { fileName } from '#shared/file-name.ts';
import type { Language } from '#shared/language/messages.ts';
import { refusal } from '#shared/language/refusals.ts';
import { asWritten, ownMarkup } from '#shared/markdown/own-markup.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import type { Output } from '../runtime/host/host.ts';
import type { CoreContext } from '../storage/core-context.ts';
import type { Background } from '../worker/background.ts';
import { type ChatsWriter, chatsWriter } from './export-chats.ts';
import { exportText } from './export-text.ts';
import { describedAnew, type FileKeeper, fileBytes, getFiles } from './import-files.ts';
import type { ReadExport } from './import-thread.ts';
import { leftTally } from './reading/left-tally.ts';
import { largestExport } from './reading/open-export.ts';
import type { ReadItem, Source } from './reading/read-import.ts';
import { type TransferStore, transferStore } from './transfer-store.ts';

/** The largest page, in UTF-16 units. A browser needs gigabytes of memory to lay out a larger one. */
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

/** Writes to a temporary file and renames it, so an existing file stays until the new one is complete. */
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

const uploadIds = /^[\w-]{1,64}$/;

/** Files being uploaded for an import. The page never names a path. */
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

  /**
   * Copies a file of this computer, so the preview and the import see the same content even if the original changes.
   */
  async function copy(uploadId: string, original: string, signal?: AbortSignal): Promise<void> {
    begin(uploadId);
    try {
      // The type is checked first, because opening a pipe or a device would wait forever.
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
    /** Appends bytes. Returns the size so far. */
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

export interface TransferDeps extends CoreContext {
  readonly readExport: ReadExport;
  readonly language: () => Promise<Language>;
  readonly background: Background;
  readonly attachments: FileKeeper;
}

/** Export and import. The page never names a path: files are sent as bytes over the contract. */
export function transferFeature(deps: TransferDeps) {
  const { db, host, background, attachments, changes, now, newId } = deps;
  const store = transferStore(db);
  const uploads = uploadedFiles(join(deps.dataFolder, 'imports'));
  /** Two imports at once could add the same new messages twice. */
  const inTurn = takingTurns();
  const importer = chatsImporter({
    store,
    readExport: deps.readExport,
    attachments,
    language: deps.language,
    now,
    newId,
  });
  const write = chatsWriter({
    read: store.read,
    getBytes: attachments.bytes,
    body: async (text) => ownMarkup(await background.run('markdown', { text }), asWritten(text)),
    now,
    language: deps.language,
  });
  const saver = chatsSaver(write, host.output);

  return {
    async *export(
      { ids, format }: { ids: string[]; format: ExportFormat },
      signal: AbortSignal | undefined,
    ): AsyncGenerator<{ text: string }, void> {
      for await (const text of write(ids, format, signal)) yield { text };
    },

    save: saver.save,
    preparePrint: saver.preparePrint,

    async beginImport(): Promise<{ uploadId: string }> {
      const uploadId = newId();
      uploads.begin(uploadId);
      return { uploadId };
    },

    async appendImport({ uploadId, offset, base64 }: { uploadId: string; offset: number; base64: string }) {
      return { received: uploads.append(uploadId, offset, Buffer.from(base64, 'base64')) };
    },

    async openFile({ fileId }: { fileId: string }, signal?: AbortSignal): Promise<{ uploadId: string; name: string }> {
      const path = await host.openedFile(fileId);
      if (path === null) throw refusal('not_found', 'importNotOpened');
      const uploadId = newId();
      await uploads.copy(uploadId, path, signal);
      return { uploadId, name: basename(path) };
    },

    async previewImport({ uploadId }: { uploadId: string }): Promise<ImportPreview> {
      try {
        return await importer.preview(uploads.toPath(uploadId));
      } catch (error) {
        uploads.forget(uploadId);
        throw error;
      }
    },

    async commitImport({ uploadId, sourceIds }: { uploadId: string; sourceIds: string[] | null }) {
      try {
        const { result, grownIds } = await inTurn(() => importer.commit(uploads.toPath(uploadId), sourceIds));
        for (const id of grownIds) deps.readers.publish(id, { type: 'all-changed' });
        return result;
      } finally {
        uploads.forget(uploadId);
        changes.emit('conversations');
      }
    },

    async duplicate({ id }: { id: string }): Promise<{ id: string }> {
      const original = await store.read(id);
      if (!original) throw refusal('not_found', 'conversationGone');
      const { copyOf } = exportText(await deps.language());
      const copy = createDuplicate(original, { id: newId(), title: copyOf(original.title), now: now(), newId });
      await store.add(copy, null, { newId, now: now() });
      changes.emit('conversations');
      return { id: copy.id };
    },

    async giveUpImport({ uploadId }: { uploadId: string }): Promise<void> {
      uploads.forget(uploadId);
    },
  };
}

interface Copy {
  readonly id: string;
  readonly title: string;
  readonly now: number;
  readonly newId: () => string;
}

/** Copies a conversation with new comparisons, and without requests or costs, which stay with the original. */
function createDuplicate(original: ExportedConversation, { id, title, now, newId }: Copy): ExportedConversation {
  const comparisons = new Map<string, string>();
  const getComparison = (old: string) => {
    const renamed = comparisons.get(old) ?? newId();
    comparisons.set(old, renamed);
    return renamed;
  };
  return {
    ...original,
    id,
    title: title.slice(0, 200),
    updatedAt: now,
    pinned: false,
    archivedAt: null,
    messages: original.messages.map((message) => ({
      ...message,
      comparison: message.comparison && { ...message.comparison, id: getComparison(message.comparison.id) },
      comparing: message.comparing && getComparison(message.comparing),
      requestId: null,
      source: null,
      bill: null,
      usage: null,
      costUsd: null,
      costSource: 'unknown',
    })),
  };
}

interface ImportDeps {
  readonly store: TransferStore;
  readonly readExport: ReadExport;
  readonly attachments: FileKeeper;
  readonly language: () => Promise<Language>;
  readonly now: () => number;
  readonly newId: () => string;
}

interface Scan {
  readonly preview: ImportPreview;
  /** The attachments of each conversation that would be imported. */
  readonly files: ReadonlyMap<string, readonly string[]>;
}

/** Imports chats from a file. The first pass previews all of them; a second pass imports the chosen ones. */
function chatsImporter({ store, readExport, attachments, language, now, newId }: ImportDeps) {
  /** A conversation without a title gets one in the app's language. */
  async function* getItems(path: string): AsyncGenerator<ReadItem, void> {
    const { untitled } = exportText(await language());
    for await (const read of readExport(path)) {
      if (read.kind === 'chat' && read.imported?.conversation.title === '') {
        const conversation = { ...read.imported.conversation, title: untitled };
        yield { ...read, imported: { ...read.imported, conversation } };
      } else yield read;
    }
  }

  async function scan(path: string): Promise<Scan> {
    const found: ImportPreview['conversations'] = [];
    const left = leftTally();
    const files = new Map<string, readonly string[]>();
    const held = new Set<string>();
    let source: Source = 'portico';
    const getMissing = await store.missing();
    for await (const read of getItems(path)) {
      if (read.kind === 'file') {
        held.add(read.file.file);
        const bytes = await fileBytes(read.file, attachments);
        if (typeof bytes === 'string') left.add(bytes);
        continue;
      }
      source = read.source;
      if (!read.imported) {
        left.add('empty_chats');
        continue;
      }
      const { sourceId, conversation, leftOut } = read.imported;
      const { title, createdAt, messages } = conversation;
      const missing = await getMissing(sourceId, conversation);
      const newMessages = (missing ?? messages).length;
      found.push({ sourceId, title, createdAt, messages: messages.length, alreadyHere: missing !== null, newMessages });
      files.set(sourceId, getFiles(missing ?? messages));
      left.addAll(leftOut);
    }
    for (const id of new Set([...files.values()].flat())) {
      if (!held.has(id) && (await attachments.bytes(id)) === null) left.add('missing_files');
    }
    return { preview: { source, conversations: found, leftOut: left.list() }, files };
  }

  return {
    preview: async (path: string): Promise<ImportPreview> => (await scan(path)).preview,

    async commit(path: string, sourceIds: readonly string[] | null) {
      // Reads to the end first, because a file is imported completely or not at all.
      const { files } = await scan(path);
      const wanted = new Set(sourceIds ?? files.keys());
      const wantedFiles = new Set([...wanted].flatMap((id) => files.get(id) ?? []));
      const left = leftTally();
      const done = { imported: 0, grown: 0, newMessages: 0, alreadyHere: 0 };
      const grownIds: string[] = [];
      for await (const read of getItems(path)) {
        if (read.kind === 'file') {
          if (!wantedFiles.delete(read.file.file)) continue;
          const bytes = await fileBytes(read.file, attachments);
          if (typeof bytes === 'string') left.add(bytes);
          else await attachments.keep(read.file.name, bytes);
          continue;
        }
        const imported = read.imported;
        if (!imported || !wanted.has(imported.sourceId)) continue;
        const conversation = await describedAnew(imported.conversation, attachments);
        const known = await store.grow(imported.sourceId, conversation, newId);
        if (known === null) await store.add(conversation, imported.sourceId, { newId, now: now() });
        if (known === null) done.imported++;
        else if (known.messages === 0) done.alreadyHere++;
        else {
          done.grown++;
          done.newMessages += known.messages;
          grownIds.push(known.id);
        }
        if (known?.messages !== 0) left.addAll(imported.leftOut);
      }
      for (const id of wantedFiles) if ((await attachments.bytes(id)) === null) left.add('missing_files');
      return { result: { ...done, leftOut: left.list() }, grownIds };
    },
  };
}

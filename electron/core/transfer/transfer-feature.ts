import { basename } from 'node:path';
import type { ExportFormat, ImportPreview } from '#shared/contract/chat/transfer.ts';
import type { Language } from '#shared/language/messages.ts';
import { refusal } from '#shared/language/refusals.ts';
import { asWritten, ownMarkup } from '#shared/markdown/own-markup.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import type { Host, Output } from '../runtime/host/host.ts';
import type { Changes } from '../runtime/streams/change-topics.ts';
import type { ThreadReaders } from '../runtime/streams/thread-readers.ts';
import type { Background } from '../worker/background.ts';
import { createDuplicate } from './duplicate.ts';
import { chatsWriter } from './export-chats.ts';
import { exportText } from './export-text.ts';
import { chatsImporter } from './import-chats.ts';
import type { FileKeeper } from './import-files.ts';
import type { ReadExport } from './import-thread.ts';
import { uploadedFiles } from './reading/uploaded-files.ts';
import { chatsSaver } from './save-chats.ts';
import type { TransferStore } from './transfer-store.ts';

export interface TransferDeps {
  readonly store: TransferStore;
  readonly folder: string;
  readonly readExport: ReadExport;
  readonly output: Output;
  readonly openedFile: Host['openedFile'];
  readonly language: () => Promise<Language>;
  readonly background: Background;
  readonly attachments: FileKeeper;
  readonly changes: Changes;
  readonly readers: Pick<ThreadReaders, 'publish'>;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Export and import. A file never comes with a path: its bytes go over the contract. */
export function transferFeature(deps: TransferDeps) {
  const { store, folder, output, background, attachments, changes, now, newId } = deps;
  const uploads = uploadedFiles(folder);
  /** Two at once would both add what neither has added to its end. */
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
  const saver = chatsSaver(write, output);

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
      const path = await deps.openedFile(fileId);
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

import type { ImportPreview } from '#shared/contract/chat/transfer.ts';
import type { Language } from '#shared/language/messages.ts';
import { exportText } from './export-text.ts';
import { describedAnew, type FileKeeper, fileBytes, getFiles } from './import-files.ts';
import type { ReadExport } from './import-thread.ts';
import { leftTally } from './reading/left-tally.ts';
import type { ReadItem, Source } from './reading/read-import.ts';
import type { TransferStore } from './transfer-store.ts';

export interface ImportDeps {
  readonly store: TransferStore;
  readonly readExport: ReadExport;
  readonly attachments: FileKeeper;
  readonly language: () => Promise<Language>;
  readonly now: () => number;
  readonly newId: () => string;
}

interface Scan {
  readonly preview: ImportPreview;
  /** The attachments of each conversation, as far as it would be added. */
  readonly files: ReadonlyMap<string, readonly string[]>;
}

/** Imports chats from a file: first a preview of all, then a second pass that imports the chosen ones. */
export function chatsImporter({ store, readExport, attachments, language, now, newId }: ImportDeps) {
  /** Conversations without a title get one in the app’s language. */
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
      // Reads to the end first: a file is imported as a whole or not at all.
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
        const each = read.imported;
        if (!each || !wanted.has(each.sourceId)) continue;
        const conversation = await describedAnew(each.conversation, attachments);
        const known = await store.grow(each.sourceId, conversation, newId);
        if (known === null) await store.add(conversation, each.sourceId, { newId, now: now() });
        if (known === null) done.imported++;
        else if (known.messages === 0) done.alreadyHere++;
        else {
          done.grown++;
          done.newMessages += known.messages;
          grownIds.push(known.id);
        }
        if (known?.messages !== 0) left.addAll(each.leftOut);
      }
      for (const id of wantedFiles) if ((await attachments.bytes(id)) === null) left.add('missing_files');
      return { result: { ...done, leftOut: left.list() }, grownIds };
    },
  };
}

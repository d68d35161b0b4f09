import type { ImportPreview, LeftOut } from '#shared/contract/chat/transfer.ts';
import type { Language } from '#shared/language/messages.ts';
import { exportText } from './export-text.ts';
import { describedAnew, type FileKeeper, fileBytes, filesOf } from './import-files.ts';
import { type ReadItem, readImport, type Source } from './reading/read-import.ts';
import type { TransferStore } from './transfer-store.ts';

export interface ImportDeps {
  readonly store: TransferStore;
  readonly attachments: FileKeeper;
  readonly language: () => Promise<Language>;
  readonly now: () => number;
  readonly newId: () => string;
}

interface Scan {
  readonly preview: ImportPreview;
  /** The attachments of each conversation. */
  readonly files: ReadonlyMap<string, readonly string[]>;
}

/** Imports chats from a file: first a preview of all, then a second pass that imports the chosen ones. */
export function chatsImporter({ store, attachments, language, now, newId }: ImportDeps) {
  /** Conversations without a title get one in the app’s language. */
  async function* itemsOf(path: string): AsyncGenerator<ReadItem, void> {
    const { untitled } = exportText(await language());
    for await (const read of readImport(path, newId)) {
      if (read.kind === 'chat' && read.imported?.conversation.title === '') {
        const conversation = { ...read.imported.conversation, title: untitled };
        yield { ...read, imported: { ...read.imported, conversation } };
      } else yield read;
    }
  }

  async function scan(path: string): Promise<Scan> {
    const found: ImportPreview['conversations'] = [];
    const left: LeftOut[] = [];
    const files = new Map<string, readonly string[]>();
    const held = new Set<string>();
    let source: Source = 'portico';
    for await (const read of itemsOf(path)) {
      if (read.kind === 'file') {
        held.add(read.file.file);
        const bytes = await fileBytes(read.file, attachments);
        if (typeof bytes === 'string') left.push(bytes);
        continue;
      }
      source = read.source;
      if (!read.imported) {
        left.push('empty_chats');
        continue;
      }
      const { sourceId, conversation, leftOut } = read.imported;
      const { title, createdAt, messages } = conversation;
      found.push({ sourceId, title, createdAt, messages: messages.length, alreadyHere: false });
      files.set(sourceId, filesOf(conversation));
      left.push(...leftOut);
    }
    for (const id of new Set([...files.values()].flat())) {
      if (!held.has(id) && (await attachments.bytes(id)) === null) left.push('missing_files');
    }
    const known = await store.known(found.map((each) => each.sourceId));
    const conversations = found.map((each) => ({ ...each, alreadyHere: known.has(each.sourceId) }));
    return { preview: { source, conversations, leftOut: counted(left) }, files };
  }

  return {
    preview: async (path: string): Promise<ImportPreview> => (await scan(path)).preview,

    async commit(path: string, sourceIds: readonly string[] | null) {
      // Reads to the end first: a file is imported as a whole or not at all.
      const { preview, files } = await scan(path);
      const here = new Set(preview.conversations.filter((each) => each.alreadyHere).map((each) => each.sourceId));
      const wanted = new Set(sourceIds ?? files.keys());
      const wantedFiles = new Set([...wanted].flatMap((id) => (here.has(id) ? [] : (files.get(id) ?? []))));
      const left: LeftOut[] = [];
      let imported = 0;
      let alreadyHere = 0;
      for await (const read of itemsOf(path)) {
        if (read.kind === 'file') {
          if (!wantedFiles.delete(read.file.file)) continue;
          const bytes = await fileBytes(read.file, attachments);
          if (typeof bytes === 'string') left.push(bytes);
          else await attachments.keep(read.file.name, bytes);
          continue;
        }
        const each = read.imported;
        if (!each || !wanted.has(each.sourceId)) continue;
        if (here.has(each.sourceId)) {
          alreadyHere++;
          continue;
        }
        here.add(each.sourceId);
        await store.add(await describedAnew(each.conversation, attachments), each.sourceId, { newId, now: now() });
        left.push(...each.leftOut);
        imported++;
      }
      for (const id of wantedFiles) if ((await attachments.bytes(id)) === null) left.push('missing_files');
      return { imported, alreadyHere, leftOut: counted(left) };
    },
  };
}

function counted(names: readonly LeftOut[]): ImportPreview['leftOut'] {
  return [...Map.groupBy(names, (name) => name)].map(([what, each]) => ({ what, count: each.length }));
}

import { appendFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportFormat, ImportPreview } from '#shared/contract/transfer.ts';
import { AppError } from '#shared/errors.ts';
import type { Changes } from '../changes.ts';
import { readImport, type Source } from './read-import.ts';
import { htmlFoot, htmlHead, toHtml } from './to-html.ts';
import { toMarkdown } from './to-markdown.ts';
import type { TransferStore } from './transfer-store.ts';

export interface TransferDeps {
  readonly store: TransferStore;
  /** Where files that are being imported are kept. */
  readonly folder: string;
  readonly changes: Changes;
  readonly now: () => number;
  readonly newId: () => string;
}

/** One gigabyte: years of chats. */
const largestFile = 1_000_000_000;
const uploadIds = /^[\w-]{1,64}$/;

/** Chats out of Portico and into it. A file never comes with a path: its bytes go over the contract. */
export function transferFeature({ store, folder, changes, now, newId }: TransferDeps) {
  rmSync(folder, { recursive: true, force: true });
  const uploads = new Set<string>();

  function pathOf(uploadId: string): string {
    if (!uploads.has(uploadId) || !uploadIds.test(uploadId)) {
      throw new AppError('not_found', 'This import was given up. Choose the file again.');
    }
    return join(folder, uploadId);
  }

  function forget(uploadId: string): void {
    if (!uploads.delete(uploadId)) return;
    const path = join(folder, uploadId);
    if (existsSync(path)) rmSync(path);
  }

  async function preview(uploadId: string): Promise<ImportPreview> {
    const found: ImportPreview['conversations'] = [];
    const left: string[] = [];
    let source: Source = 'portico';
    for await (const read of readImport(pathOf(uploadId), newId)) {
      source = read.source;
      if (!read.imported) {
        left.push('empty chats');
        continue;
      }
      const { sourceId, conversation, leftOut } = read.imported;
      const { title, createdAt, messages } = conversation;
      found.push({ sourceId, title, createdAt, messages: messages.length, alreadyHere: false });
      left.push(...leftOut);
    }
    const known = await store.known(found.map((each) => each.sourceId));
    const conversations = found.map((each) => ({ ...each, alreadyHere: known.has(each.sourceId) }));
    return { source, conversations, leftOut: counted(left) };
  }

  return {
    async *export(
      { ids, format }: { ids: string[]; format: ExportFormat },
      signal: AbortSignal | undefined,
    ): AsyncGenerator<{ text: string }, void> {
      const head = { format: 'portico-chats', version: 1, exportedAt: new Date(now()).toISOString() };
      if (format === 'json') yield { text: `${JSON.stringify(head).slice(0, -1)},"conversations":[` };
      if (format === 'html') yield { text: htmlHead };
      let written = 0;
      for (const id of ids) {
        if (signal?.aborted) return;
        const conversation = await store.read(id);
        if (!conversation) continue;
        const between = written++ === 0 ? '' : { json: ',\n', markdown: '\n---\n\n', html: '' }[format];
        if (format === 'json') yield { text: between + JSON.stringify(conversation) };
        else yield { text: between + (format === 'html' ? toHtml(conversation) : toMarkdown(conversation)) };
      }
      if (written === 0) throw new AppError('not_found', 'These conversations are not here any more.');
      if (format === 'json') yield { text: ']}\n' };
      if (format === 'html') yield { text: htmlFoot };
    },

    async beginImport(): Promise<{ uploadId: string }> {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const uploadId = newId();
      writeFileSync(join(folder, uploadId), '', { mode: 0o600 });
      uploads.add(uploadId);
      return { uploadId };
    },

    async appendImport({ uploadId, offset, base64 }: { uploadId: string; offset: number; base64: string }) {
      const path = pathOf(uploadId);
      const { size } = statSync(path);
      if (size !== offset)
        throw new AppError('invalid_input', 'offset: a piece of the file is missing. Choose it again.');
      const bytes = Buffer.from(base64, 'base64');
      if (size + bytes.length > largestFile) {
        forget(uploadId);
        throw new AppError('import_refused', 'This file is larger than 1 GB and cannot be imported.');
      }
      appendFileSync(path, bytes);
      return { received: size + bytes.length };
    },

    async previewImport({ uploadId }: { uploadId: string }): Promise<ImportPreview> {
      try {
        return await preview(uploadId);
      } catch (error) {
        forget(uploadId);
        throw error;
      }
    },

    async commitImport({ uploadId, sourceIds }: { uploadId: string; sourceIds: string[] | null }) {
      // Once more to its end before anything is kept: a file is imported whole or not at all.
      const seen = await this.previewImport({ uploadId });
      const wanted = sourceIds === null ? null : new Set(sourceIds);
      const here = new Set(seen.conversations.filter((each) => each.alreadyHere).map((each) => each.sourceId));
      const left: string[] = [];
      let imported = 0;
      let alreadyHere = 0;
      try {
        for await (const { imported: each } of readImport(pathOf(uploadId), newId)) {
          if (!each || (wanted && !wanted.has(each.sourceId))) continue;
          if (here.has(each.sourceId)) {
            alreadyHere++;
            continue;
          }
          here.add(each.sourceId);
          await store.add(each.conversation, each.sourceId, { newId, now: now() });
          left.push(...each.leftOut);
          imported++;
        }
      } finally {
        forget(uploadId);
        changes.emit('conversations', 'messages');
      }
      return { imported, alreadyHere, leftOut: counted(left) };
    },

    async giveUpImport({ uploadId }: { uploadId: string }): Promise<void> {
      forget(uploadId);
    },
  };
}

function counted(names: readonly string[]): { what: string; count: number }[] {
  return [...Map.groupBy(names, (name) => name)].map(([what, each]) => ({ what, count: each.length }));
}

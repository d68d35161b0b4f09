import { createReadStream } from 'node:fs';
import type { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { type ExportedFile, exportedConversation, exportedFile, exportHead } from '#shared/transfer.ts';
import type { Imported } from './imported.ts';
import { jsonItems, parseJson } from './json-items.ts';
import { chatgptConversation, readChatgpt } from './read-chatgpt.ts';
import { claudeConversation, readClaude } from './read-claude.ts';

export type Source = 'portico' | 'chatgpt' | 'claude';

const refuse = (why: string) =>
  new AppError('import_refused', `This file cannot be imported: ${why} Nothing was imported.`);
const notKnown = 'it is no export of Portico, ChatGPT or Claude.';

/** A file that messages name, or a conversation; null where it is an empty one. */
export type ReadItem =
  | { readonly kind: 'file'; readonly file: ExportedFile }
  | { readonly kind: 'chat'; readonly source: Source; readonly imported: Imported | null };

/**
 * Reads an export from a file, one conversation at a time. Throws `import_refused` at the first thing that is not as it
 * must be: whoever wants a file whole reads it to its end before anything is kept.
 */
export async function* readImport(path: string, newId: () => string): AsyncGenerator<ReadItem, void> {
  const items = jsonItems();
  let source: Source | null = null;
  let first = true;
  try {
    for await (const text of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 18 })) {
      const piece = first ? (text as string).replace(/^\uFEFF/, '') : (text as string);
      if (first) requireJson(piece);
      first = false;
      for (const item of items.push(piece)) {
        const value = parseJson(item);
        if (isFile(value) && (source ?? 'portico') === 'portico') {
          source = 'portico';
          yield { kind: 'file', file: checked(exportedFile, value) };
          continue;
        }
        source ??= sourceOf(value);
        yield { kind: 'chat', source, imported: readers[source](value, newId) };
      }
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : refuse('it could not be read.');
  }
  const head = items.end();
  if (source === 'portico' || source === null) {
    const known = exportHead.safeParse(head);
    if (!known.success) throw refuse(Array.isArray(head) ? 'there are no conversations in it.' : notKnown);
  } else if (!Array.isArray(head)) throw refuse(notKnown);
}

function requireJson(text: string): void {
  if (text.startsWith('PK')) throw refuse('it is a ZIP archive. Unpack it and choose the conversations.json in it.');
  if (!/^\s*[[{]/.test(text)) throw refuse(notKnown);
}

const isFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'file' in value && 'base64' in value;

function sourceOf(value: unknown): Source {
  if (typeof value !== 'object' || value === null) throw refuse(notKnown);
  if ('mapping' in value) return 'chatgpt';
  if ('chat_messages' in value) return 'claude';
  if ('messages' in value && 'activeLeaf' in value) return 'portico';
  throw refuse(notKnown);
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const place = result.error.issues[0]?.path.join('.') ?? '';
  throw refuse(`a conversation in it is not as expected (${place.slice(0, 80)}).`);
}

const readers: Record<Source, (value: unknown, newId: () => string) => Imported | null> = {
  chatgpt: (value, newId) => readChatgpt(checked(chatgptConversation, value), newId),
  claude: (value, newId) => readClaude(checked(claudeConversation, value), newId),
  portico: (value) => {
    const conversation = checked(exportedConversation, value);
    const seen = new Set<string>();
    for (const { id, parentId } of conversation.messages) {
      if (seen.has(id) || (parentId !== null && !seen.has(parentId))) {
        throw refuse('a message in it has no place in its conversation.');
      }
      seen.add(id);
    }
    if (conversation.activeLeaf !== null && !seen.has(conversation.activeLeaf)) {
      throw refuse('a message in it has no place in its conversation.');
    }
    return { sourceId: `portico:${conversation.id}`, conversation, leftOut: [] };
  },
};

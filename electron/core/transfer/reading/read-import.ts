import { z } from 'zod';
import {
  type ExportedFile,
  exportedConversation,
  exportedFile,
  exportHead,
} from '#shared/contract/chat/exported-conversation.ts';
import { AppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import { cutText, foreignConversation, foreignMessage, type Imported } from './imported.ts';
import { jsonItems, parseJson } from './json-items.ts';
import { type LeftTally, leftTally } from './left-tally.ts';
import { type ExportText, openExport } from './open-export.ts';
import { chatgptConversation, readChatgpt } from './read-chatgpt.ts';

const time = z.string().max(60).nullish();
const claudeAttachment = z.looseObject({ file_name: z.string().nullish(), extracted_content: z.string().nullish() });
const claudeMessage = z.looseObject({
  uuid: z.string().max(200),
  parent_message_uuid: z.string().nullish(),
  sender: z.enum(['human', 'assistant']),
  text: z.string().nullish(),
  created_at: time,
  content: z
    .array(z.looseObject({ type: z.string(), text: z.string().nullish(), thinking: z.string().nullish() }))
    .nullish(),
  attachments: z.array(claudeAttachment).nullish(),
  files: z.array(z.unknown()).nullish(),
});

/** One conversation in Claude's `conversations.json`. */
const claudeConversation = z.looseObject({
  uuid: z.string().max(200),
  name: z.string().nullish(),
  created_at: time,
  updated_at: time,
  chat_messages: z.array(claudeMessage),
});

type ClaudeMessage = z.infer<typeof claudeMessage>;

function readClaude(chat: z.infer<typeof claudeConversation>, newId: () => string): Imported | null {
  const left = leftTally();
  const created = toMs(chat.created_at) ?? 0;
  /** Maps their ids to ours. A message that is left out maps to the one before it. */
  const ids = new Map<string, string | null>();
  let before: string | null = null;
  const messages = chat.chat_messages.flatMap((message) => {
    const known = message.parent_message_uuid ? ids.get(message.parent_message_uuid) : undefined;
    const parentId: string | null = known === undefined ? before : known;
    const { text, reasoning } = getContent(message, left);
    if (text.trim() === '') {
      ids.set(message.uuid, parentId);
      return [];
    }
    const id = newId();
    ids.set(message.uuid, id);
    before = id;
    return [
      foreignMessage({
        id,
        parentId,
        text: cutText(text, left),
        reasoning: cutText(reasoning, left),
        role: message.sender === 'human' ? 'user' : 'assistant',
        createdAt: toMs(message.created_at) ?? created,
        model: null,
        modelName: message.sender === 'human' ? null : 'Claude',
      }),
    ];
  });
  if (messages.length === 0) return null;
  return foreignConversation({
    sourceId: `claude:${chat.uuid}`,
    id: newId(),
    title: chat.name ?? '',
    leftOut: left.list(),
    messages,
    createdAt: created,
    updatedAt: toMs(chat.updated_at) ?? created,
    activeLeaf: messages.at(-1)?.id ?? null,
  });
}

function getContent(message: ClaudeMessage, left: LeftTally): { text: string; reasoning: string } {
  // Pasted text is an attachment whose words the export contains.
  const attached = (message.attachments ?? []).map(({ file_name: name, extracted_content: words }) =>
    words ? `${name ?? ''}\n\n${words}`.trim() : null,
  );
  left.add('files', attached.filter((words) => words === null).length + (message.files?.length ?? 0));
  const parts = message.content ?? [];
  for (const part of parts) if (part.type !== 'text' && part.type !== 'thinking') left.add('tool_steps');
  const written = parts.flatMap((part) => (part.type === 'text' && part.text ? [part.text] : []));
  const thought = parts.flatMap((part) => (part.type === 'thinking' && part.thinking ? [part.thinking] : []));
  const text = written.length > 0 ? written : [message.text ?? ''];
  return {
    text: [...text, ...attached].filter(Boolean).join('\n\n'),
    reasoning: thought.join('\n\n'),
  };
}

function toMs(text: string | null | undefined): number | null {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? null : time;
}

export type Source = 'portico' | 'chatgpt' | 'claude';

type Reason = 'importUnreadable' | 'importUnknown' | 'importEmpty' | 'importLoose';
const refuse = (reason: Reason) => refusal('import_refused', reason);

/** A file that messages refer to, or a conversation. `imported` is null for an empty conversation. */
export type ReadItem =
  | { readonly kind: 'file'; readonly file: ExportedFile }
  | { readonly kind: 'chat'; readonly source: Source; readonly imported: Imported | null };

/**
 * Far more than people have. The limits are needed because a ZIP archive of a few megabytes may contain thirty million
 * empty chats.
 */
const max = { chats: 200_000, messages: 2_000_000, files: 100_000 };

/** Throws `import_refused` if there are too many chats, messages or files. */
function itemCounter(): (item: ReadItem) => void {
  let [chats, messages, files] = [0, 0, 0];
  return (item) => {
    if (item.kind === 'file') files += 1;
    else {
      chats += 1;
      messages += item.imported?.conversation.messages.length ?? 0;
    }
    if (chats > max.chats || messages > max.messages || files > max.files)
      throw refusal('import_refused', 'importTooMany', max);
  };
}

/**
 * Reads an export from a file, one conversation at a time. Throws `import_refused` at the first invalid item, so a
 * caller that wants all or nothing must read to the end before it stores anything. Runs on a thread of its own, because
 * parsing a single conversation may take seconds.
 */
export async function* readImport(path: string, newId: () => string): AsyncGenerator<ReadItem, void> {
  const count = itemCounter();
  try {
    for await (const text of openExport(path)) {
      for await (const item of readText(text, newId)) {
        count(item);
        yield item;
      }
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : refusal('import_refused', 'importUnreadable', { cause });
  }
}

async function* readText(text: ExportText, newId: () => string): AsyncGenerator<ReadItem, void> {
  const items = jsonItems();
  let source: Source | null = null;
  let first = true;
  for await (const read of text) {
    const piece = first ? read.replace(/^\uFEFF/, '') : read;
    if (first) requireJson(piece);
    first = false;
    for (const item of items.push(piece)) {
      const value = parseJson(item);
      if (isFile(value) && (source ?? 'portico') === 'portico') {
        source = 'portico';
        yield { kind: 'file', file: checked(exportedFile, value) };
        continue;
      }
      source ??= getSource(value);
      yield { kind: 'chat', source, imported: readers[source](value, newId) };
    }
  }
  const head = items.end();
  if (source === 'portico' || source === null) {
    const known = exportHead.safeParse(head);
    if (!known.success) throw refuse(Array.isArray(head) ? 'importEmpty' : 'importUnknown');
  } else if (!Array.isArray(head)) throw refuse('importUnknown');
}

function requireJson(text: string): void {
  if (!/^\s*[[{]/.test(text)) throw refuse('importUnknown');
}

const isFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'file' in value && 'base64' in value;

function getSource(value: unknown): Source {
  if (typeof value !== 'object' || value === null) throw refuse('importUnknown');
  if ('mapping' in value) return 'chatgpt';
  if ('chat_messages' in value) return 'claude';
  if ('messages' in value && 'activeLeaf' in value) return 'portico';
  throw refuse('importUnknown');
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.join('.') ?? '';
  throw refusal('import_refused', 'importUnexpected', { path: path.slice(0, 80) });
}

const readers: Record<Source, (value: unknown, newId: () => string) => Imported | null> = {
  chatgpt: (value, newId) => readChatgpt(checked(chatgptConversation, value), newId),
  claude: (value, newId) => readClaude(checked(claudeConversation, value), newId),
  portico: (value) => {
    const conversation = checked(exportedConversation, value);
    const seen = new Set<string>();
    for (const { id, parentId } of conversation.messages) {
      if (seen.has(id) || (parentId !== null && !seen.has(parentId))) {
        throw refuse('importLoose');
      }
      seen.add(id);
    }
    if (conversation.activeLeaf !== null && !seen.has(conversation.activeLeaf)) {
      throw refuse('importLoose');
    }
    return { sourceId: `portico:${conversation.id}`, conversation, leftOut: [] };
  },
};

import { createHash } from 'node:crypto';
import { foreignMessage } from '#core/transfer/reading/imported.ts';
import type {
  ExportedConversation,
  ExportedFile,
  ExportedMessage,
} from '#shared/contract/chat/exported-conversation.ts';
import type { testCore } from './test-core.ts';

/** The smallest possible picture, one pixel. Every question has it attached, each time under a different name. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const file: ExportedFile = {
  file: createHash('sha256').update(dot).digest('hex'),
  name: 'dot.png',
  base64: dot.toString('base64'),
};

/** Makes a question and its answer in which every field with words contains the text. */
function exchange(text: string, index: number, parentId: string | null): [ExportedMessage, ExportedMessage] {
  const fields = { createdAt: 1_750_000_000_000, reasoning: text, model: 'evil/model', modelName: text, text };
  const picture = { id: file.file, name: text.slice(0, 255), kind: 'image', mediaType: 'image/png' } as const;
  const question: ExportedMessage = {
    ...foreignMessage({ ...fields, id: `q${index}`, parentId, role: 'user' }),
    attachments: [{ ...picture, bytes: dot.length, tokens: 1 }],
  };
  const run = { server: text, title: text, state: 'failed', result: text, startedAt: null, finishedAt: null } as const;
  const answer: ExportedMessage = {
    ...foreignMessage({ ...fields, id: `a${index}`, parentId: `q${index}`, role: 'assistant' }),
    status: 'error',
    error: { code: 'x', message: text, retryAfterMs: null },
    routeReason: text,
    toolCalls: [
      { id: 'one', name: text, arguments: text, run },
      { id: 'two', name: text, arguments: text },
    ],
  };
  return [question, answer];
}

const perChat = 60;

/** Makes a chat of sixty texts. One of them is its title. */
function getChat(texts: readonly string[], first: number): ExportedConversation {
  const answerTo = (index: number) => (index === 0 ? null : `a${first + index - 1}`);
  const name = texts[(first / perChat) % texts.length] ?? '';
  return {
    id: `c${first}`,
    title: name.slice(0, 1000),
    folder: name.slice(0, 60),
    tags: [name.slice(0, 40)],
    model: 'router',
    createdAt: 1_750_000_000_000,
    updatedAt: 1_750_000_000_000,
    pinned: false,
    archivedAt: null,
    activeLeaf: answerTo(texts.length),
    messages: texts.flatMap((text, index) => exchange(text, first + index, answerTo(index))),
  };
}

type Client = Awaited<ReturnType<typeof testCore>>['client'];

/** Imports the texts into the app as chats, as from a file that somebody sent. Returns the ids of the chats. */
export async function importHostileChats({ transfer }: Client, texts: readonly string[]): Promise<string[]> {
  const chats: ExportedConversation[] = [];
  for (let first = 0; first < texts.length; first += perChat)
    chats.push(getChat(texts.slice(first, first + perChat), first));
  const head = { format: 'portico-chats', version: 2, exportedAt: '2026-01-01T00:00:00Z' };
  const bytes = Buffer.from(JSON.stringify({ ...head, contents: [file, ...chats] }));
  const { uploadId } = await transfer.beginImport();
  for (let offset = 0; offset < bytes.length; offset += 1_000_000) {
    const base64 = bytes.subarray(offset, offset + 1_000_000).toString('base64');
    await transfer.appendImport({ uploadId, offset, base64 });
  }
  const { imported } = await transfer.commitImport({ uploadId, sourceIds: null });
  if (imported !== chats.length) throw new Error(`Only ${imported} of ${chats.length} chats came in.`);
  return chats.map(({ id }) => id);
}

import type { Message } from '#shared/contract/chat/conversations.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import type { CompletionRequestBody, ContentPart } from '#shared/wire/chat-request.ts';
import { callsOf, withCalls, wordsWithCalls } from './call-messages.ts';

export type WireMessage = CompletionRequestBody['messages'][number];

/** The wire's own limit (wire contract §1.3): of a longer chat the newest messages are sent. */
export const mostMessages = 2048;
/** Files of a whole request, before base64: the body must stay under the gateway's 25 MiB (wire contract §7). */
const mostFileBytes = 17 * 1_048_576;

const ended = new Set<Message['status']>(['done', 'cancelled', 'interrupted']);

export type HistoryEntry = Pick<Message, 'id' | 'role' | 'text' | 'attachments' | 'status'> &
  Partial<Pick<Message, 'continues' | 'reasoning' | 'toolCalls' | 'finishReason'>>;

/** After the results of tools, where they can only be told in words. */
export const goOnWithResults: WireMessage = { role: 'user', content: 'Go on with your answer, using these results.' };

/** Asked for in words: several providers refuse a chat that ends with an answer, others begin a new one after it. */
export const goOn: WireMessage = {
  role: 'user',
  content: 'Your last message was cut off. Continue it exactly where it ends, without repeating any of it.',
};

/**
 * What of a branch is sent to a model. Empty answers are left out, and failed ones unless something goes on with them; an
 * answer in several parts is one message, but for what follows on the results of tools. `continues`: the branch ends with an answer that is to go on.
 */
export function sendable<Entry extends HistoryEntry>(branch: readonly Entry[], continues = false): Entry[] {
  const joined: Entry[] = [];
  branch.forEach((entry, at) => {
    const goesOn = branch[at + 1]?.continues || (continues && at === branch.length - 1);
    if (!ended.has(entry.status) && !(goesOn && entry.status === 'error')) return;
    const last = joined.at(-1);
    if (entry.continues && last?.role === 'assistant' && callsOf(last).length === 0) {
      const { toolCalls, finishReason } = entry;
      joined[joined.length - 1] = { ...last, toolCalls, finishReason, text: last.text + entry.text };
    } else joined.push(entry);
  });
  return joined.filter(
    (entry) => entry.text.trim() !== '' || entry.attachments.length > 0 || callsOf(entry).length > 0,
  );
}

/** How a file becomes a part of the request; null where its bytes are gone. */
export type ToPart = (attachment: Attachment) => Promise<ContentPart | null>;

export interface WireOptions {
  readonly reads: (attachment: Attachment) => boolean;
  readonly toPart: ToPart;
  /** Tools go with the request; without them what was called is told in words: a call of nothing is refused. */
  readonly tools: boolean;
}

/** Messages as the wire has them, with their files as far as the model reads them and the request can carry them. */
export async function toWire(
  entries: readonly HistoryEntry[],
  { reads, toPart, tools }: WireOptions,
): Promise<WireMessage[]> {
  const carried = fitting(entries, reads);
  const question = entries.findLastIndex(({ role }) => role === 'user');
  const messages = await Promise.all(
    entries.map(async (entry, index): Promise<WireMessage | WireMessage[]> => {
      if (entry.role === 'assistant') {
        if (tools && callsOf(entry).length > 0) return withCalls(entry, index > question);
        return { role: 'assistant', content: wordsWithCalls(entry) };
      }
      if (entry.attachments.length === 0) return { role: 'user', content: entry.text };
      const parts = await Promise.all(
        entry.attachments.map(async (file, at) => {
          const part = carried.has(`${entry.id} ${at}`) ? await toPart(file) : null;
          return part ?? ({ type: 'text', text: `[${file.name} was attached here; it is not sent again.]` } as const);
        }),
      );
      const words = entry.text.trim() === '' ? [] : [{ type: 'text' as const, text: entry.text }];
      return { role: 'user', content: [...parts, ...words] };
    }),
  );
  return messages.flat();
}

/** Which files go along: those the model reads, the newest first, as many as fit. */
function fitting(entries: readonly HistoryEntry[], reads: (attachment: Attachment) => boolean): Set<string> {
  const carried = new Set<string>();
  let room = mostFileBytes;
  for (const entry of [...entries].reverse()) {
    for (const [at, file] of entry.attachments.entries()) {
      if (!reads(file) || file.bytes > room) continue;
      room -= file.bytes;
      carried.add(`${entry.id} ${at}`);
    }
  }
  return carried;
}

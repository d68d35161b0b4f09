import { crc32 } from 'node:zlib';
import type { ChatMessage } from '#shared/wire/chat-request.ts';
import { messageText } from '../content/message-text.ts';

/** Remembers for ten minutes which model answered a conversation (wire contract §5.5). Losing it costs stickiness only. */
export interface Sticky {
  recall(key: string): string | null;
  remember(key: string, modelId: string): void;
}

const keptMs = 600_000;
const maxEntries = 10_000;

export function createSticky(now: () => number): Sticky {
  const entries = new Map<string, { modelId: string; until: number }>();
  return {
    recall(key) {
      const entry = entries.get(key);
      return entry && entry.until > now() ? entry.modelId : null;
    },
    remember(key, modelId) {
      entries.delete(key);
      entries.set(key, { modelId, until: now() + keptMs });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}

/** How a conversation begins, as far as it tells it from others: its first instruction and its first question. */
export const openingOf = (messages: readonly ChatMessage[]): readonly string[] =>
  [
    messages.find((message) => message.role === 'system' || message.role === 'developer'),
    messages.find((message) => message.role === 'user'),
  ].flatMap((message) => brief(message ? messageText(message) : ''));

/**
 * Names a conversation within its account: by its session, else by how it began. Nothing can be read back from it. Two that share
 * a name by accident share a remembered model, no more; an account cannot meet another one's.
 */
export function conversationKey(accountId: string, sessionId: string | null, opening: readonly string[]): string {
  const texts = sessionId === null ? opening : [sessionId];
  let key = sessionId === null ? `${accountId} opening` : `${accountId} session`;
  for (const text of texts) key += ` ${crc32(text)}/${text.length}`;
  return key;
}

const shownChars = 2_048;

/** A long text by its length, its beginning and its end: hashing all of it would cost more than the rest of routing. */
const brief = (text: string): string[] =>
  text.length <= 2 * shownChars ? [text] : [String(text.length), text.slice(0, shownChars), text.slice(-shownChars)];

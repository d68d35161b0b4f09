import type { CacheMark, ChatMessage, CompletionRequest, ContentPart } from '#shared/wire/chat-request.ts';

/**
 * Marks for a provider's prompt cache: `cache_control` on a message, a content part or a tool says that everything up to
 * there is to be kept. Anthropic wants it said; most others decide by themselves and refuse the field.
 */

type Marked = { readonly cache_control?: CacheMark | null | undefined };
type Tools = CompletionRequest['tools'];

/** All of them, in their order; a request without any costs a look at each message. */
export function marksOf(messages: readonly ChatMessage[], tools: Tools): CacheMark[] {
  const marks: CacheMark[] = [];
  const look = ({ cache_control: mark }: Marked) => {
    if (mark) marks.push(mark);
  };
  tools?.forEach(look);
  for (const message of messages) {
    if (Array.isArray(message.content)) (message.content as readonly ContentPart[]).forEach(look);
    look(message);
  }
  return marks;
}

/** For how long, at the longest, what a request marks is to be kept; null where it marks nothing. */
export function promptCacheOf(messages: readonly ChatMessage[], tools: Tools): '5m' | '1h' | null {
  const marks = marksOf(messages, tools);
  if (marks.length === 0) return null;
  return marks.some(({ ttl }) => ttl === '1h') ? '1h' : '5m';
}

/** The mark of a message or of the last of its parts that has one, for providers that mark whole blocks. */
export function markOf(message: Pick<ChatMessage, 'content'> & Marked): CacheMark | null {
  const parts: readonly Marked[] = Array.isArray(message.content) ? message.content : [];
  return message.cache_control ?? parts.findLast(({ cache_control: mark }) => mark)?.cache_control ?? null;
}

/** The same without marks; itself where it has none. */
export function unmarked<T extends Marked & { readonly content?: unknown }>(marked: T): Omit<T, 'cache_control'> {
  const { content } = marked;
  const partsMarked = Array.isArray(content) && content.some((part: object) => 'cache_control' in part);
  if (!partsMarked && !('cache_control' in marked)) return marked;
  const { cache_control: _mark, ...rest } = marked;
  return partsMarked ? { ...rest, content: content.map((part: ContentPart) => unmarked(part)) } : rest;
}

import type { Message } from '#shared/contract/chat/conversations.ts';
import { maxAtOnce } from '#shared/contract/common/limits.ts';
import type { Api } from '../../../api/api.ts';
import { getThreadItems, type ThreadItem } from '../state/thread-items.ts';

/** All rows of the shown branch, read page by page beside the thread, which holds a section of it. Throws if it cannot be read. */
export async function wholeBranch(api: Api, conversationId: string): Promise<readonly ThreadItem[]> {
  const leave = new AbortController();
  let refused: unknown = null;
  let readerId = '';
  let messages: readonly Message[] = [];
  let columns: readonly Message[] = [];
  const readOlder = (messageId: string) =>
    void api.chat.page({ readerId, to: 'older', messageId }).catch((error: unknown) => {
      refused = error;
      leave.abort();
    });
  try {
    const events = await api.chat.watch({ conversationId, at: 'end', limit: maxAtOnce }, { signal: leave.signal });
    for await (const event of events) {
      if (event.type === 'snapshot') {
        readerId = event.readerId;
        messages = event.messages;
        columns = event.columns;
      } else if (event.type === 'page' && event.edgeId === messages[0]?.id) {
        const edge = event.messages.findIndex(({ id }) => id === event.edgeId);
        messages = [...event.messages.slice(0, Math.max(0, edge)), ...messages];
        columns = [...event.columns, ...columns];
      } else continue;
      const [first] = messages;
      if (!event.hasOlder || !first) return getThreadItems(messages, onceEach(columns));
      readOlder(first.id);
    }
  } catch (error) {
    throw refused ?? error;
  } finally {
    leave.abort();
  }
  throw refused ?? new Error('The stream of the conversation ended before its first message');
}

/** Columns at the edge of two pages are in both. */
const onceEach = (messages: readonly Message[]): readonly Message[] => [
  ...new Map(messages.map((message) => [message.id, message])).values(),
];

import type { Conversation } from '#shared/contract/chat/conversations.ts';
import type { SearchHit } from '#shared/contract/chat/search.ts';
import type { Background } from '../../worker/background.ts';

export interface SearchDeps {
  readonly background: Background;
  readonly conversationsById: (ids: readonly string[]) => Promise<Map<string, Conversation>>;
}

/**
 * Searches all chats, or within one chat. Both run in the worker, because a search takes too long for the main thread.
 */
export function searchFeature({ background, conversationsById }: SearchDeps) {
  return {
    async find(
      { query, limit, cursor }: { query: string; limit: number; cursor?: string | null | undefined },
      signal: AbortSignal | undefined,
    ) {
      const beforeSeq = cursor && /^\d{1,15}$/.test(cursor) ? Number(cursor) : null;
      const found = await background.run('search', { query, limit, beforeSeq }, signal);
      const ids = [...new Set([...found.titles, ...found.messages].map((row) => row.conversationId))];
      const conversations = await conversationsById(ids);
      const hit = (id: string, rest: Omit<SearchHit, 'conversation'>): SearchHit[] => {
        const conversation = conversations.get(id);
        return conversation ? [{ conversation, ...rest }] : [];
      };
      const last = found.messages.length === limit ? found.messages.at(-1) : undefined;
      return {
        hits: [
          ...found.titles.flatMap(({ conversationId, title }) => hit(conversationId, { title, message: null })),
          ...found.messages.flatMap(({ conversationId, title, id, role, createdAt, inTool, snippet }) =>
            hit(conversationId, { title, message: { id, role, createdAt, inTool, snippet } }),
          ),
        ],
        nextCursor: last ? String(last.seq) : null,
        problems: found.problems,
      };
    },

    async inConversation(input: { conversationId: string; text: string }, signal: AbortSignal | undefined) {
      const matches = await background.run('find', input, signal);
      return { matches, total: matches.reduce((sum, match) => sum + match.count, 0) };
    },
  };
}

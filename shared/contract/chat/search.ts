import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id, problemText, timeMs } from '../common/fields.ts';
import { conversation } from './conversations.ts';

/** A span of text. `hit` is true if it matches the query. */
const run = z.object({ text: z.string(), hit: z.boolean() });

export const searchHit = z.object({
  conversation,
  title: z.array(run),
  /** Null if the title or the filters match. */
  message: z
    .object({
      id,
      role: z.enum(['user', 'assistant']),
      createdAt: timeMs,
      /** The match is in a tool's output and not in the message itself. */
      inTool: z.boolean(),
      snippet: z.array(run),
    })
    .nullable(),
});

export const searchContract = {
  /**
   * Searches chats, messages and tool outputs. Titles come first, then the newest messages. Words match from their
   * beginning, `"quoted words"` exactly; `tag: folder: model: pinned: archived: trash: before: after: role:` are
   * filters. Any text is accepted: parts that can't be understood are named in `problems`, and the result is then
   * empty.
   */
  find: oc
    .input(
      z.object({
        query: z.string().max(500),
        limit: z.int().min(1).max(200).default(50),
        cursor: z.string().max(40).nullish(),
      }),
    )
    .output(z.object({ hits: z.array(searchHit), nextCursor: z.string().nullable(), problems: z.array(problemText) })),
  /**
   * Matches in the shown branch of a conversation, ignoring case, oldest first, including messages that aren't loaded.
   */
  inConversation: oc
    .input(z.object({ conversationId: id, text: z.string().min(1).max(200) }))
    .output(z.object({ matches: z.array(z.object({ messageId: id, count: z.int() })), total: z.int() })),
};

export type SearchHit = z.infer<typeof searchHit>;
export type TextRun = z.infer<typeof run>;

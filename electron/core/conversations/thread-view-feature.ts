import { sql } from 'kysely';
import { refusal } from '#shared/language/refusals.ts';
import type { Db } from '../db/db.ts';

export interface ThreadViewDeps {
  readonly db: Db;
  readonly now: () => number;
}

/** Edits are stored with the drafts, under keys that no chat has. */
const editKey = (messageId: string) => `edit:${messageId}`;

/** View state of a thread: unsent edits and expanded parts, for other windows and the next start. */
export function threadViewFeature({ db, now }: ThreadViewDeps) {
  return {
    async view({ conversationId }: { conversationId: string }) {
      const row = await db
        .selectFrom('conversations')
        .select('folds')
        .where('id', '=', conversationId)
        .executeTakeFirst();
      const edits = await db
        .selectFrom('drafts')
        .innerJoin('messages', (join) => join.on('messages.id', '=', sql<string>`substr(drafts.chat, 6)`))
        .select(['messages.id as messageId', 'drafts.text'])
        .where('drafts.chat', 'like', editKey('%'))
        .where('messages.conversation_id', '=', conversationId)
        .execute();
      return { edits, expanded: JSON.parse(row?.folds ?? '[]') as string[] };
    },

    async keepEdit({ messageId, text }: { messageId: string; text: string | null }): Promise<void> {
      if (text === null) {
        await db.deleteFrom('drafts').where('chat', '=', editKey(messageId)).execute();
        return;
      }
      const values = { text, attachments: '[]', model: null, updated_at: now() };
      const { id } = await db
        .selectFrom('messages')
        .select('id')
        .where('id', '=', messageId)
        .executeTakeFirstOrThrow(() => refusal('not_found', 'messageGone'));
      await db
        .insertInto('drafts')
        .values({ chat: editKey(id), ...values })
        .onConflict((conflict) => conflict.column('chat').doUpdateSet(values))
        .execute();
    },

    async keepExpanded({
      conversationId,
      expanded,
    }: {
      conversationId: string;
      expanded: readonly string[];
    }): Promise<void> {
      await db
        .updateTable('conversations')
        .set({ folds: JSON.stringify(expanded) })
        .where('id', '=', conversationId)
        .execute();
    },
  };
}

import { sql } from 'kysely';
import { refusal } from '#shared/language/refusals.ts';
import type { CoreContext } from '../storage/core-context.ts';

interface KeptEdit {
  readonly other: { readonly text: string; readonly message: string } | null;
}

interface Edit {
  readonly messageId: string;
  readonly text: string | null;
  readonly known: string | null;
}

/** The key of an unsent edit. Edits are stored with the drafts, and no chat has such a key. */
const editKey = (messageId: string) => `edit:${messageId}`;

/**
 * Stores what a thread shows besides its messages: unsent edits and expanded parts. Other windows and the next start
 * show the same.
 */
export function threadViewFeature({ db, now }: CoreContext) {
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

    async keepEdit({ messageId, text, known }: Edit): Promise<KeptEdit> {
      return await db.transaction().execute(async (tx): Promise<KeptEdit> => {
        const row = await tx
          .selectFrom('messages')
          .leftJoin('drafts', (join) => join.on('drafts.chat', '=', editKey(messageId)))
          .select(['messages.text as message', 'drafts.text as kept'])
          .where('messages.id', '=', messageId)
          .executeTakeFirst();
        if (!row && text !== null) throw refusal('not_found', 'messageGone');
        if (row && row.kept !== null && row.kept !== known && row.kept !== text) {
          return { other: { text: row.kept, message: row.message } };
        }
        if (text === null) {
          await tx.deleteFrom('drafts').where('chat', '=', editKey(messageId)).execute();
          return { other: null };
        }
        const values = { text, attachments: '[]', model: null, updated_at: now() };
        await tx
          .insertInto('drafts')
          .values({ chat: editKey(messageId), ...values })
          .onConflict((conflict) => conflict.column('chat').doUpdateSet(values))
          .execute();
        return { other: null };
      });
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

import { sql } from 'kysely';
import type { Draft } from '#shared/contract/chat/drafts.ts';
import type { Db } from '../db/db.ts';
import type { Changes } from '../streams/change-topics.ts';

export interface DraftsDeps {
  readonly db: Db;
  readonly changes: Pick<Changes, 'isOpen'>;
  readonly now: () => number;
}

const windowKeys = 'new-';
/** When all windows had one draft. */
const firstKey = 'new';
const empty: Draft = { text: '', attachments: [], model: null, compare: [] };

/** Drafts. Each write is a commit: an acknowledged draft survives a crash. */
export function draftsFeature({ db, changes, now }: DraftsDeps) {
  const rowOf = (chat: string) => db.selectFrom('drafts').selectAll().where('chat', '=', chat).executeTakeFirst();

  /** The last draft of a new chat whose window is gone, first of all one with words or files, as this one's from now on. */
  async function takenOver(chat: string) {
    const drafts = await db
      .selectFrom('drafts')
      .select('chat')
      .where(({ eb, or }) => or([eb('chat', '=', firstKey), eb('chat', 'like', `${windowKeys}%`)]))
      .orderBy(sql`text = '' and attachments = '[]'`)
      .orderBy('updated_at', 'desc')
      .execute();
    const left = drafts.find((draft) => !changes.isOpen(draft.chat));
    if (!left) return undefined;
    await db.updateTable('drafts').set({ chat }).where('chat', '=', left.chat).execute();
    return rowOf(chat);
  }

  return {
    async get({ chat }: { chat: string }): Promise<Draft> {
      const row = (await rowOf(chat)) ?? (chat.startsWith(windowKeys) ? await takenOver(chat) : undefined);
      if (!row) return empty;
      const { text, model } = row;
      return { text, attachments: JSON.parse(row.attachments), model, compare: JSON.parse(row.compare) };
    },

    async put({ chat, draft }: { chat: string; draft: Draft }): Promise<void> {
      if (draft.text === '' && draft.attachments.length === 0 && draft.model === null && draft.compare.length === 0) {
        await db.deleteFrom('drafts').where('chat', '=', chat).execute();
        return;
      }
      const values = {
        text: draft.text,
        attachments: JSON.stringify(draft.attachments),
        model: draft.model,
        compare: JSON.stringify(draft.compare),
        updated_at: now(),
      };
      await db
        .insertInto('drafts')
        .values({ chat, ...values })
        .onConflict((conflict) => conflict.column('chat').doUpdateSet(values))
        .execute();
    },
  };
}

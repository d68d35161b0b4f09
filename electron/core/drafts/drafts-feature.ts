import type { Draft } from '#shared/contract/chat/drafts.ts';
import type { Db } from '../db/db.ts';

export interface DraftsDeps {
  readonly db: Db;
  readonly now: () => number;
}

const empty: Draft = { text: '', attachments: [], model: null, compare: [] };

/** Drafts. Each write is a commit: an acknowledged draft survives a crash. */
export function draftsFeature({ db, now }: DraftsDeps) {
  return {
    async get({ chat }: { chat: string }): Promise<Draft> {
      const row = await db.selectFrom('drafts').selectAll().where('chat', '=', chat).executeTakeFirst();
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

import { type Selectable, sql } from 'kysely';
import type { Draft } from '#shared/contract/chat/drafts.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { ComposerTables } from '../../storage/database/composer-tables.ts';
import { storedAttachments } from '../../storage/database/stored-attachments.ts';

const windowKeys = 'new-';
/** The key of the draft that all windows shared in earlier versions. */
const firstKey = 'new';
const empty: Draft = { text: '', attachments: [], model: null, compare: [] };

/** Stores drafts. Each write is a commit, so an acknowledged draft survives a crash. */
export function draftsFeature({ db, changes, now }: CoreContext) {
  const toRow = (chat: string) => db.selectFrom('drafts').selectAll().where('chat', '=', chat).executeTakeFirst();

  /**
   * Takes over the newest new chat of a closed window, with its draft and options. One with text or files comes first.
   */
  async function takenOver(chat: string) {
    const open = JSON.stringify(changes.openNewChats());
    const { rows } = await sql<{ chat: string }>`
      select chat from (
        select chat, text = '' and attachments = '[]' as bare, updated_at from drafts
        union all select chat, 1, 0 from chat_options
      )
      where (chat = ${firstKey} or chat like ${`${windowKeys}%`}) and chat <> ${chat}
        and chat not in (select value from json_each(${open}))
      order by bare, updated_at desc limit 1`.execute(db);
    const [left] = rows;
    if (!left) return undefined;
    await db.updateTable('drafts').set({ chat }).where('chat', '=', left.chat).execute();
    // Options that this window has already set stay.
    await sql`update or ignore chat_options set chat = ${chat} where chat = ${left.chat}`.execute(db);
    changes.emit('options');
    return toRow(chat);
  }

  return {
    async get({ chat }: { chat: string }) {
      const row = (await toRow(chat)) ?? (chat.startsWith(windowKeys) ? await takenOver(chat) : undefined);
      return { ...draftIn(row), savedAt: row?.updated_at ?? null };
    },

    async put({ chat, draft, savedAt }: { chat: string; draft: Draft; savedAt?: number | null | undefined }) {
      const { text, model } = draft;
      const result = await db.transaction().execute(async (tx) => {
        const before = await tx.selectFrom('drafts').selectAll().where('chat', '=', chat).executeTakeFirst();
        const lastAt = before?.updated_at ?? null;
        if (savedAt !== undefined && savedAt !== lastAt) return { savedAt: lastAt, other: draftIn(before) };
        if (text === '' && draft.attachments.length === 0 && model === null && draft.compare.length === 0) {
          await tx.deleteFrom('drafts').where('chat', '=', chat).execute();
          return { savedAt: null, other: null };
        }
        const updated_at = Math.max(now(), (lastAt ?? 0) + 1);
        const [attachments, compare] = [JSON.stringify(draft.attachments), JSON.stringify(draft.compare)];
        const values = { text, attachments, model, compare, updated_at };
        await tx
          .insertInto('drafts')
          .values({ chat, ...values })
          .onConflict((conflict) => conflict.column('chat').doUpdateSet(values))
          .execute();
        return { savedAt: updated_at, other: null };
      });
      if (result.other === null && changes.isShared()) changes.emit('drafts');
      return result;
    },
  };
}

function draftIn(row: Selectable<ComposerTables['drafts']> | undefined): Draft {
  if (!row) return empty;
  const { text, model } = row;
  return { text, attachments: storedAttachments(row.attachments), model, compare: JSON.parse(row.compare) };
}

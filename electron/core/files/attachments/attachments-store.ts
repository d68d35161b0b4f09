import { sql } from 'kysely';
import type { ComposerTables } from '../../storage/database/composer-tables.ts';
import type { Db } from '../../storage/database/db.ts';

/** Records of stored files. Also finds those that nothing references. */
export function attachmentsStore(db: Db) {
  return {
    find: (id: string) => db.selectFrom('attachments').selectAll().where('id', '=', id).executeTakeFirst(),

    async keep(row: ComposerTables['attachments']): Promise<void> {
      await db
        .insertInto('attachments')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ used_at: row.used_at }))
        .execute();
    },

    /**
     * Returns ids that no message, draft, queued message or project references and that were last uploaded before this
     * time.
     */
    async unused(before: number): Promise<string[]> {
      const { rows } = await sql<{ id: string }>`
        select id from attachments where used_at < ${before} and id not in (
          select json_extract(file.value, '$.id') from messages, json_each(messages.attachments) file
            where messages.attachments <> '[]'
          union select json_extract(file.value, '$.id') from drafts, json_each(drafts.attachments) file
          union select json_extract(file.value, '$.id') from queued_messages, json_each(queued_messages.attachments) file
          union select json_extract(file.value, '$.id') from folders, json_each(folders.attachments) file
        )`.execute(db);
      return rows.map((row) => row.id);
    },

    ids: async (): Promise<Set<string>> =>
      new Set((await db.selectFrom('attachments').select('id').execute()).map((row) => row.id)),

    async forget(id: string): Promise<void> {
      await db.deleteFrom('attachments').where('id', '=', id).execute();
    },
  };
}

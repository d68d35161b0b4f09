import type { Project } from '#shared/contract/chat/organise.ts';
import { attachments } from '#shared/contract/common/attachments.ts';
import type { Db } from '../../storage/database/db.ts';

export interface NamedProject extends Project {
  readonly name: string;
}

/** Stores projects: the instructions, the model and the files that the chats of a folder share. */
export function projectStore(db: Db) {
  async function read(folderId: string): Promise<NamedProject | null> {
    const row = await db.selectFrom('folders').selectAll().where('id', '=', folderId).executeTakeFirst();
    if (!row) return null;
    const files = attachments.safeParse(JSON.parse(row.attachments));
    return {
      name: row.name,
      instructions: row.instructions,
      model: row.model,
      attachments: files.success ? files.data : [],
    };
  }

  return {
    read,

    async write(folderId: string, { instructions, model, attachments: files }: Project): Promise<void> {
      const change = { instructions, model, attachments: JSON.stringify(files) };
      await db.updateTable('folders').set(change).where('id', '=', folderId).execute();
    },

    /** Returns the project of a conversation's folder. */
    async of(conversationId: string): Promise<NamedProject | null> {
      const row = await db
        .selectFrom('conversations')
        .select('folder_id')
        .where('id', '=', conversationId)
        .executeTakeFirst();
      return row?.folder_id == null ? null : read(row.folder_id);
    },
  };
}

export type ProjectStore = ReturnType<typeof projectStore>;

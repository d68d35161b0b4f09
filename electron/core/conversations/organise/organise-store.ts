import { sql, type Transaction } from 'kysely';
import type { Folder, Placement, PlacementChange } from '#shared/contract/chat/organise.ts';
import type { Db, Tables } from '../../storage/database/db.ts';

/** The number of ids in one SQL statement, which SQLite limits. */
const atOnce = 500;

/** Stores folders, tags and the placement of conversations. Each change is one commit. */
export function organiseStore(db: Db) {
  return {
    async folders(): Promise<Folder[]> {
      const { rows } = await sql<Omit<Folder, 'isProject'> & { isProject: number }>`
        select f.id, f.name, count(c.id) as conversations,
          f.instructions <> '' or f.model is not null or f.attachments <> '[]' as isProject from folders f
        left join conversations c on c.folder_id = f.id and c.trashed_at is null and c.archived_at is null
        group by f.id order by f.name`.execute(db);
      return rows.map((row) => ({ ...row, isProject: row.isProject === 1 }));
    },

    async tags(): Promise<{ name: string; conversations: number }[]> {
      const { rows } = await sql<{ name: string; conversations: number }>`
        select t.tag as name, count(*) as conversations from conversation_tags t
        join conversations c on c.id = t.conversation_id and c.trashed_at is null
        group by t.tag order by t.tag`.execute(db);
      return rows;
    },

    async counts(): Promise<{ archived: number; trashed: number }> {
      const { rows } = await sql<{ archived: number; trashed: number }>`
        select count(*) filter (where archived_at is not null and trashed_at is null) as archived,
          count(trashed_at) as trashed from conversations`.execute(db);
      return rows[0] ?? { archived: 0, trashed: 0 };
    },

    folderNamed: (name: string) => db.selectFrom('folders').selectAll().where('name', '=', name).executeTakeFirst(),

    async addFolder(id: string, name: string, now: number): Promise<void> {
      await db.insertInto('folders').values({ id, name, created_at: now }).execute();
    },

    async renameFolder(id: string, name: string): Promise<void> {
      await db.updateTable('folders').set({ name }).where('id', '=', id).execute();
    },

    async inFolder(id: string): Promise<string[]> {
      const rows = await db.selectFrom('conversations').select('id').where('folder_id', '=', id).execute();
      return rows.map((row) => row.id);
    },

    async removeFolder(id: string): Promise<void> {
      await db.deleteFrom('folders').where('id', '=', id).execute();
    },

    /** Changes all of the conversations. Returns their previous placements, for undo. */
    change: (ids: readonly string[], change: PlacementChange, now: number): Promise<Placement[]> =>
      db.transaction().execute(async (tx) => {
        const before = await placements(tx, ids);
        for (const placement of before) await put(tx, changed(placement, change, now), placement);
        return before;
      }),

    /**
     * Restores placements. A conversation whose folder was deleted is in no folder, and a deleted conversation is
     * skipped.
     */
    putBack: (wanted: readonly Placement[]): Promise<void> =>
      db.transaction().execute(async (tx) => {
        const folders = new Set((await tx.selectFrom('folders').select('id').execute()).map((row) => row.id));
        const present = await placements(
          tx,
          wanted.map((saved) => saved.id),
        );
        const now = new Map(present.map((saved) => [saved.id, saved]));
        for (const saved of wanted) {
          const current = now.get(saved.id);
          const folderId = saved.folderId !== null && folders.has(saved.folderId) ? saved.folderId : null;
          if (current) await put(tx, { ...saved, folderId }, current);
        }
      }),

    /** Returns conversations in the trash: those that were put there before a time, or those of the ids. */
    async trashed({ before, ids }: { before?: number; ids?: readonly string[] | null }): Promise<string[]> {
      let query = db.selectFrom('conversations').select('id').where('trashed_at', 'is not', null);
      if (before !== undefined) query = query.where('trashed_at', '<', before);
      const rows = await query.execute();
      const named = ids ? new Set(ids) : null;
      return rows.map((row) => row.id).filter((id) => named?.has(id) ?? true);
    },
  };
}
type Tx = Transaction<Tables>;

async function placements(tx: Tx, ids: readonly string[]): Promise<Placement[]> {
  const found: Placement[] = [];
  for (let start = 0; start < ids.length; start += atOnce) {
    const some = ids.slice(start, start + atOnce);
    const rows = await tx
      .selectFrom('conversations')
      .select(['id', 'folder_id', 'pinned', 'archived_at', 'trashed_at'])
      .where('id', 'in', some)
      .where('temporary', '=', 0)
      .execute();
    const tags = await tx.selectFrom('conversation_tags').selectAll().where('conversation_id', 'in', some).execute();
    const getTags = Map.groupBy(tags, (row) => row.conversation_id);
    for (const row of rows) {
      found.push({
        id: row.id,
        folderId: row.folder_id,
        tags: (getTags.get(row.id) ?? []).map((entry) => entry.tag),
        pinned: row.pinned === 1,
        archivedAt: row.archived_at,
        trashedAt: row.trashed_at,
      });
    }
  }
  return found;
}

function changed(placement: Placement, change: PlacementChange, now: number): Placement {
  const { pinned, archived, trashed, folderId, addTags = [], removeTags = [] } = change;
  const gone = new Set(removeTags.map((tag) => tag.toLowerCase()));
  const since = (wanted: boolean | undefined, at: number | null) =>
    wanted === undefined ? at : wanted ? (at ?? now) : null;
  return {
    ...placement,
    pinned: pinned ?? placement.pinned,
    archivedAt: since(archived, placement.archivedAt),
    trashedAt: since(trashed, placement.trashedAt),
    folderId: folderId === undefined ? placement.folderId : folderId,
    tags: [...placement.tags.filter((tag) => !gone.has(tag.toLowerCase())), ...addTags],
  };
}

async function put(tx: Tx, next: Placement, before: Placement): Promise<void> {
  await tx
    .updateTable('conversations')
    .set({
      folder_id: next.folderId,
      pinned: next.pinned ? 1 : 0,
      archived_at: next.archivedAt,
      trashed_at: next.trashedAt,
    })
    .where('id', '=', next.id)
    .execute();
  if (next.tags.length === before.tags.length && next.tags.every((tag, index) => tag === before.tags[index])) return;
  await tx.deleteFrom('conversation_tags').where('conversation_id', '=', next.id).execute();
  const tags = new Map(next.tags.map((tag) => [tag.toLowerCase(), tag]));
  for (const tag of tags.values()) {
    await tx.insertInto('conversation_tags').values({ conversation_id: next.id, tag }).execute();
  }
}

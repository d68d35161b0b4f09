import type { Database } from 'better-sqlite3';

/** What this app knows about a conversation that a request record names. */
export interface NamedChat {
  readonly id: string;
  /** Null if the conversation is deleted. */
  readonly title: string | null;
  readonly folderId: string | null;
  readonly folder: string | null;
}

/** Returns those of the conversations that belong to this app, including deleted ones, whose costs are still known. */
export function nameChats(db: Database, ids: readonly string[]): NamedChat[] {
  return db
    .prepare(
      `select asked.value as id, c.title, f.id as folderId, f.name as folder
      from json_each(?) asked
        left join conversations c on c.id = asked.value and c.trashed_at is null
        left join folders f on f.id = c.folder_id
      where c.id is not null or exists (select 1 from spend where spend.conversation_id = asked.value)`,
    )
    .all(JSON.stringify(ids)) as NamedChat[];
}

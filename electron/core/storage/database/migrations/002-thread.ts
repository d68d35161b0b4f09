import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  sql`alter table messages add column shown_child text`,
  sql`alter table messages add column continues integer not null default 0`,
  sql`alter table messages add column deletion text`,
  sql`create index messages_deletion on messages (deletion) where deletion is not null`,
  sql`alter table conversations add column place text`,
  sql`create table deletions (
    id text primary key,
    conversation_id text not null references conversations (id) on delete cascade,
    message_id text not null,
    was_shown integer not null,
    leaf text,
    deleted_at integer not null
  ) strict`,
  // Remembers the branches that are shown now. Everywhere else the newest child is shown.
  sql`with recursive path (id, parent_id) as (
      select m.id, m.parent_id from conversations c join messages m on m.id = c.active_leaf
      union all
      select m.id, m.parent_id from messages m join path p on m.id = p.parent_id
    )
    update messages set shown_child = path.id from path where messages.id = path.parent_id`,
];

/** Adds the branch tree: the shown child of each message, continued answers, and removals that can be undone. */
export const thread: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
};

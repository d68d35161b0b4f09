import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  sql`alter table conversations add column temporary integer not null default 0`,
  sql`create index conversations_temporary on conversations (id) where temporary = 1`,
  // Deleted text leaves no words behind in the index.
  sql`insert into title_words (title_words, rank) values ('secure-delete', 1)`,
  sql`insert into message_words (message_words, rank) values ('secure-delete', 1)`,
];

/** Adds temporary conversations. */
export const temporary: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
};

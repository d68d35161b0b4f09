import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  sql`alter table messages add column comparison text`,
  sql`alter table messages add column comparison_column integer`,
  sql`alter table messages add column comparing text`,
  sql`create index messages_comparison on messages (comparison) where comparison is not null`,
  sql`create index messages_comparing on messages (comparing) where comparing is not null`,
  sql`alter table drafts add column compare text not null default '[]'`,
  sql`alter table queued_messages add column compare text not null default '[]'`,
  // A separate trigger keeps comparisons out of the one that writes the row.
  sql`create trigger spend_of_comparisons after insert on spend
    when new.purpose = 'chat' and exists (select 1 from messages where id = new.id and comparison is not null)
    begin update spend set purpose = 'compare' where id = new.id; end`,
];

/** Adds comparisons: answers of several models to one question, and drafts and queued messages for several models. */
export const compare: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
};

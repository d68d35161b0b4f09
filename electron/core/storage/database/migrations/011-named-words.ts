import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  sql`update tool_servers set problem = json_object('message', problem) where problem is not null`,
  sql`update queued_messages set problem = json_object('message', problem) where problem is not null`,
  sql`alter table providers rename column message to problem`,
  sql`update providers set problem = json_object('message', problem) where problem is not null`,
  sql`update messages set room = json_set(room, '$.why', json_object('message', json_extract(room, '$.why')))
    where json_extract(room, '$.why') is not null`,
];

/** Stores sentences with the name and values of their catalogue text. Older sentences stay plain text. */
export const namedWords: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
};

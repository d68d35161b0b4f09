import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  sql`alter table messages add column client_request_id text`,
  // A request that was sent but never got its id may have cost something. Its cost is unknown until it is found; it
  // is never zero.
  sql`create trigger messages_spend_unknown
    after update of status on messages
    when new.role = 'assistant' and new.status in ('interrupted', 'cancelled')
      and new.client_request_id is not null and new.request_id is null
    begin
      insert into spend (id, conversation_id, request_id, purpose, simulated, cost_usd, cost_source, at)
      values (new.id, new.conversation_id, null, 'chat', new.simulated, null, 'unknown', new.created_at)
      on conflict (id) do nothing;
    end`,
  sql`alter table messages add column room text`,
  sql`alter table conversations add column folds text`,
  sql`create trigger messages_leave_edits after delete on messages begin
    delete from drafts where chat = 'edit:' || old.id;
  end`,
  sql`alter table spend add column client_request_id text`,
  sql`alter table spend add column source text`,
];

/**
 * Keeps state that was lost when a process or a window ended: the charge of a request, unsent edits, expanded parts.
 */
export const steady: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
};

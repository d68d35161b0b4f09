import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A request that sends tool results back to the model gets a purpose of its own. */
const purpose = sql`case when new.continues = 1 and exists (
    select 1 from messages before where before.id = new.parent_id and before.finish_reason = 'tool_calls'
  ) then 'tool' else 'chat' end`;

const statements = [
  sql`drop trigger messages_spend`,
  sql`create trigger messages_spend
    after update of status, cost_usd, cost_source, simulated, request_id on messages
    when new.role = 'assistant' and new.status <> 'streaming' and new.request_id is not null
      and (new.status <> 'error' or new.cost_usd is not null)
    begin
      insert into spend (id, conversation_id, request_id, purpose, simulated, cost_usd, cost_source, at)
      values (new.id, new.conversation_id, new.request_id, ${purpose}, new.simulated, new.cost_usd, new.cost_source,
        new.created_at)
      on conflict (id) do update set request_id = excluded.request_id, simulated = excluded.simulated,
        cost_usd = excluded.cost_usd, cost_source = excluded.cost_source;
    end`,
];

export const toolRounds: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
};

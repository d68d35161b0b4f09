import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The cost of an answer is stored separately. It stays when the message is deleted, as the ledger's entry does. */
const spend = sql`
  insert into spend (id, conversation_id, request_id, purpose, simulated, cost_usd, cost_source, at)
  values (new.id, new.conversation_id, new.request_id, 'chat', new.simulated, new.cost_usd, new.cost_source, new.created_at)
  on conflict (id) do update set request_id = excluded.request_id, simulated = excluded.simulated,
    cost_usd = excluded.cost_usd, cost_source = excluded.cost_source`;

/** A failed answer counts as free unless the gateway's record contains a cost (wire contract §1.4.7). */
const counts = (row: string) =>
  sql.raw(
    `${row}role = 'assistant' and ${row}status <> 'streaming' and ${row}request_id is not null
      and (${row}status <> 'error' or ${row}cost_usd is not null)`,
  );

const statements = [
  sql`create table drafts (
    chat text primary key,
    text text not null,
    attachments text not null,
    model text,
    updated_at integer not null
  ) strict`,
  sql`create table queued_messages (
    seq integer primary key autoincrement,
    id text not null unique,
    conversation_id text not null references conversations (id) on delete cascade,
    text text not null,
    attachments text not null,
    model text not null,
    problem text
  ) strict`,
  sql`create index queued_by_conversation on queued_messages (conversation_id, seq)`,
  sql`create table chat_options (chat text primary key, value text not null) strict`,
  sql`create table prompts (id text primary key, name text not null, text text not null) strict`,
  sql`create table presets (id text primary key, name text not null, value text not null, for_new_chats integer not null) strict`,
  sql`create table attachments (
    id text primary key,
    kind text not null check (kind in ('image', 'pdf', 'text')),
    media_type text not null,
    bytes integer not null,
    tokens integer not null,
    used_at integer not null
  ) strict`,
  sql`alter table messages add column attachments text not null default '[]'`,
  sql`alter table messages add column bill text`,
  sql`create index messages_with_attachments on messages (id) where attachments <> '[]'`,
  sql`create table summaries (
    id text primary key,
    conversation_id text not null references conversations (id) on delete cascade,
    through_id text not null references messages (id) on delete cascade,
    messages integer not null,
    text text not null,
    model text not null,
    simulated integer not null,
    cost_usd text,
    cost_source text not null,
    bill text,
    created_at integer not null
  ) strict`,
  sql`create index summaries_through on summaries (through_id)`,
  sql`create index summaries_by_conversation on summaries (conversation_id)`,
  sql`create table spend (
    id text primary key,
    conversation_id text not null,
    request_id text,
    purpose text not null,
    simulated integer not null,
    cost_usd text,
    cost_source text not null,
    at integer not null
  ) strict`,
  sql`create index spend_by_conversation on spend (conversation_id)`,
  sql`create index spend_by_time on spend (at) where simulated = 0`,
  sql`create trigger messages_spend
    after update of status, cost_usd, cost_source, simulated, request_id on messages
    when ${counts('new.')}
    begin ${spend}; end`,
  sql`create trigger conversations_leave after delete on conversations begin
    delete from drafts where chat = old.id;
    delete from chat_options where chat = old.id;
  end`,
  sql`insert into spend (id, conversation_id, request_id, purpose, simulated, cost_usd, cost_source, at)
    select id, conversation_id, request_id, 'chat', simulated, cost_usd, cost_source, created_at
    from messages where ${counts('')}`,
];

export const composer: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
};

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  sql`create table settings (name text primary key, value text not null) strict`,
  sql`create table conversations (
    id text primary key,
    title text not null,
    model text not null,
    active_leaf text,
    created_at integer not null,
    updated_at integer not null
  ) strict`,
  sql`create index conversations_newest on conversations (updated_at desc, id desc)`,
  sql`create table messages (
    seq integer primary key autoincrement,
    id text not null unique,
    conversation_id text not null references conversations (id) on delete cascade,
    parent_id text references messages (id) on delete cascade,
    role text not null check (role in ('user', 'assistant')),
    text text not null,
    reasoning text not null default '',
    status text not null check (status in ('streaming', 'done', 'error', 'cancelled', 'interrupted')),
    model text,
    served_provider text,
    served_model text,
    model_name text,
    simulated integer not null default 0,
    finish_reason text,
    usage text,
    cost_usd text,
    cost_source text not null default 'unknown' check (cost_source in ('billed', 'estimated', 'byok', 'unknown')),
    cost_open integer not null default 0,
    route_reason text,
    request_id text,
    source text,
    error text,
    tool_calls text not null default '[]',
    created_at integer not null,
    first_token_at integer,
    finished_at integer
  ) strict`,
  sql`create index messages_siblings on messages (conversation_id, parent_id, seq)`,
  sql`create index messages_parent on messages (parent_id)`,
  sql`create index messages_streaming on messages (status) where status = 'streaming'`,
  sql`create index messages_cost_open on messages (cost_open) where cost_open = 1`,
  sql`create table providers (
    id text primary key,
    base_url text not null,
    key_hint text,
    has_key integer not null,
    state text not null,
    message text,
    checked_at integer
  ) strict`,
  sql`create table model_lists (source text primary key, models text not null, fetched_at integer not null) strict`,
];

export const firstTables: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
};

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  sql`create table tool_servers (
    id text primary key,
    name text not null,
    transport text not null,
    enabled integer not null,
    tools text not null,
    seen_fingerprint text,
    problem text,
    created_at integer not null
  ) strict`,
  sql`create table tool_permissions (
    id text primary key,
    server_id text references tool_servers (id) on delete cascade,
    tool text not null,
    fingerprint text not null,
    conversation_id text references conversations (id) on delete cascade,
    granted_at integer not null
  ) strict`,
  sql`create index tool_permissions_tool on tool_permissions (tool)`,
];

/** Adds tool servers and the user's permissions for them. Their secrets are in the keychain, not here. */
export const tools: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
};

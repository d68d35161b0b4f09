import Sqlite from 'better-sqlite3';
import { type Generated, Kysely, type Selectable, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { ComposerTables } from './composer-tables.ts';
import { migrations } from './migrations/migrations.ts';

export interface Tables extends ComposerTables {
  /** One JSON value per name. */
  settings: { name: string; value: string };
  conversations: {
    id: string;
    title: string;
    model: string;
    /** The last message of the branch that is shown. */
    active_leaf: string | null;
    created_at: number;
    updated_at: number;
    /** Where the reader left it, as JSON; null: at the end. */
    place: Generated<string | null>;
    /** Parts of its messages that the reader has opened, as JSON. */
    folds: Generated<string | null>;
    folder_id: Generated<string | null>;
    /** 0 or 1. */
    pinned: Generated<number>;
    archived_at: Generated<number | null>;
    /** When it went to the trash. */
    trashed_at: Generated<number | null>;
    /** Where an imported one comes from, such as `chatgpt:<id>`: the same one is imported once. */
    import_source: Generated<string | null>;
  };
  folders: { id: string; name: string; created_at: number };
  conversation_tags: { conversation_id: string; tag: string };
  messages: MessageTable;
  /** Removals of messages that can be taken back. */
  deletions: {
    id: string;
    conversation_id: string;
    /** What was removed, with all below it. */
    message_id: string;
    /** 1: its parent showed it. */
    was_shown: number;
    /** The end of the shown branch, where the removal cut it. */
    leaf: string | null;
    deleted_at: number;
  };
  providers: {
    id: string;
    base_url: string;
    key_hint: string | null;
    /** 1: the key is in the keychain; 0: the server wants none. */
    has_key: number;
    state: string;
    /** JSON: what its last check found. */
    problem: string | null;
    checked_at: number | null;
    /** JSON: what it is beside that (`providers/provider-settings.ts`), never a secret. */
    settings: string;
  };
  tool_servers: {
    id: string;
    name: string;
    transport: string;
    enabled: number;
    tools: string;
    seen_fingerprint: string | null;
    /** JSON: why it failed. */
    problem: string | null;
    created_at: number;
  };
  tool_permissions: {
    id: string;
    server_id: string | null;
    tool: string;
    fingerprint: string;
    conversation_id: string | null;
    granted_at: number;
  };
  /** The last known list of each gateway. */
  model_lists: { source: string; models: string; fetched_at: number };
}

export interface MessageTable {
  /** Order of arrival. */
  seq: number | null;
  id: string;
  conversation_id: string;
  parent_id: string | null;
  role: 'user' | 'assistant';
  text: string;
  reasoning: string;
  status: 'streaming' | 'done' | 'error' | 'cancelled' | 'interrupted';
  model: string | null;
  served_provider: string | null;
  served_model: string | null;
  model_name: string | null;
  simulated: number;
  finish_reason: string | null;
  usage: string | null;
  cost_usd: string | null;
  cost_source: 'billed' | 'estimated' | 'byok' | 'unknown';
  /** 1: the gateway has not said yet what it cost. */
  cost_open: number;
  route_reason: string | null;
  request_id: string | null;
  /** What we called the request before it was sent: by it the gateway finds what `request_id` would have told. */
  client_request_id: Generated<string | null>;
  /** JSON: how room was made for it. */
  room: Generated<string | null>;
  /** Which gateway and wallet it was sent to, such as `embedded/main`. */
  source: string | null;
  error: string | null;
  tool_calls: string;
  /** JSON: the files a user's message came with. */
  attachments: Generated<string>;
  /** JSON: the cost in its parts. */
  bill: Generated<string | null>;
  created_at: number;
  first_token_at: number | null;
  finished_at: number | null;
  /** The child that is shown below it, or was shown last; null: the newest. */
  shown_child: Generated<string | null>;
  /** 1: goes on with the answer that is its parent. */
  continues: Generated<number>;
  /** The removal that took it away; null: it is there. */
  deletion: Generated<string | null>;
  /** The comparison that an answer belongs to, and its place there from the left. */
  comparison: Generated<string | null>;
  comparison_column: Generated<number | null>;
  /** The comparison that is shown below a question, instead of one answer. */
  comparing: Generated<string | null>;
}

export type Db = Kysely<Tables>;
export type ConversationRow = Selectable<Tables['conversations']>;

/**
 * Opens the core's database. WAL with `synchronous=FULL`: an acknowledged commit survives a power cut, which NORMAL
 * does not.
 */
export async function openDb(path: string): Promise<Db> {
  const sqlite = new Sqlite(path);
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma('busy_timeout = 5000');
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
  await migrate(db);
  return db;
}

/** Brings the schema up to date. */
export async function migrate(db: Db): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    // Features are built side by side: one may bring an earlier number to a database that has a later one already.
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

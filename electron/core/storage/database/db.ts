import Sqlite from 'better-sqlite3';
import { type Generated, Kysely, type Selectable } from 'kysely';
import { Migrator } from 'kysely/migration';
import { TransactionDialect } from '#gateway/storage/transaction-dialect.ts';
import type { ComposerTables } from './composer-tables.ts';
import { migrations } from './migrations/migrations.ts';

export interface Tables extends ComposerTables {
  /** JSON values by name. */
  settings: { name: string; value: string };
  conversations: {
    id: string;
    title: string;
    model: string;
    /** The last message of the shown branch. */
    active_leaf: string | null;
    created_at: number;
    updated_at: number;
    /** The scroll position as JSON. Null means the end. */
    place: Generated<string | null>;
    /** The expanded parts of its messages, as JSON. */
    folds: Generated<string | null>;
    folder_id: Generated<string | null>;
    /** 0 or 1. */
    pinned: Generated<number>;
    archived_at: Generated<number | null>;
    /** When it was moved to the trash. */
    trashed_at: Generated<number | null>;
    /** 1 if an answer ended that no window has shown yet. */
    unread: Generated<number>;
    /** 1 if the chat is temporary, 2 while it is being imported (`beingAdded`). */
    temporary: Generated<number>;
    /** The source of an imported chat, such as `chatgpt:<id>`. It prevents importing it twice. */
    import_source: Generated<string | null>;
    /** When the newest imported message of this chat was written. */
    imported_until: Generated<number | null>;
  };
  folders: {
    id: string;
    name: string;
    created_at: number;
    instructions: Generated<string>;
    model: Generated<string | null>;
    attachments: Generated<string>;
  };
  conversation_tags: { conversation_id: string; tag: string };
  messages: MessageTable;
  /** Removals that can be undone. */
  deletions: {
    id: string;
    conversation_id: string;
    /** The removed message. Everything below it was removed with it. */
    message_id: string;
    /** 1 if it was the shown child of its parent. */
    was_shown: number;
    /** The last message of the shown branch at that time, if the removal cut that branch. */
    leaf: string | null;
    deleted_at: number;
  };
  providers: {
    id: string;
    base_url: string;
    key_hint: string | null;
    /** 1 if the key is in the keychain, 0 if the server needs none. */
    has_key: number;
    state: string;
    /** JSON: the problem that its last check found. */
    problem: string | null;
    checked_at: number | null;
    /** JSON: further settings (`providers/provider-settings.ts`), never a secret. */
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
  /** The last known model list of each gateway. */
  model_lists: { source: string; models: string; fetched_at: number };
}

export interface MessageTable {
  /** The order of arrival. */
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
  /** 1 while the gateway hasn't reported the cost yet. */
  cost_open: number;
  route_reason: string | null;
  request_id: string | null;
  /**
   * Our own id of the request, stored before it is sent. The gateway can find the request by it if `request_id` never
   * arrived.
   */
  client_request_id: Generated<string | null>;
  /** Our token count of what was sent, for models that could search the web. */
  searched_tokens: Generated<number | null>;
  /** JSON: what was summarised or left out to fit the context. */
  room: Generated<string | null>;
  /** The gateway and billing account, such as `embedded/main`. */
  source: string | null;
  error: string | null;
  tool_calls: string;
  /** JSON: web pages that the answer cites. */
  citations: Generated<string>;
  /** JSON: the files attached to a user's message. */
  attachments: Generated<string>;
  /** JSON: the cost in its parts. */
  bill: Generated<string | null>;
  created_at: number;
  first_token_at: number | null;
  thought_ms: Generated<number | null>;
  finished_at: number | null;
  /** The child that is shown, or was shown last. Null stands for the newest. */
  shown_child: Generated<string | null>;
  /** 1 if it continues its parent, which is an answer. */
  continues: Generated<number>;
  /** The removal that it belongs to. Null if it isn't removed. */
  deletion: Generated<string | null>;
  /** Its comparison, and its column counted from the left. */
  comparison: Generated<string | null>;
  comparison_column: Generated<number | null>;
  /** The comparison that is shown below this question instead of one answer. */
  comparing: Generated<string | null>;
}

export type Db = Kysely<Tables>;
export type ConversationRow = Selectable<Tables['conversations']>;

/**
 * Opens the core's database, in WAL mode with `synchronous=FULL`: a commit survives a power failure. With NORMAL it
 * might not.
 */
export async function openDb(path: string): Promise<Db> {
  const sqlite = new Sqlite(path);
  try {
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma('busy_timeout = 5000');
    const db = new Kysely<Tables>({ dialect: new TransactionDialect(sqlite, () => sqlite.inTransaction) });
    await migrate(db);
    return db;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/**
 * The value of `temporary` for a chat that is being added in several steps. It is in no list, and the next start
 * removes it if it was never finished.
 */
export const beingAdded = 2;

/**
 * Deletes a chat. Deleting a message cascades to its children, and SQLite follows such a chain for 1,000 messages only,
 * so the chain is cut first.
 */
export async function deleteChat(tx: Kysely<Tables>, id: string): Promise<void> {
  await tx.updateTable('messages').set({ parent_id: null }).where('conversation_id', '=', id).execute();
  await tx.deleteFrom('conversations').where('id', '=', id).execute();
}

/** Runs pending migrations. */
export async function migrate(db: Db): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    // Features are developed in parallel, so a lower number may arrive later.
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

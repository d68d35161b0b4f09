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
    /** The scroll position as JSON; null: at the end. */
    place: Generated<string | null>;
    /** Expanded parts of its messages, as JSON. */
    folds: Generated<string | null>;
    folder_id: Generated<string | null>;
    /** 0 or 1. */
    pinned: Generated<number>;
    archived_at: Generated<number | null>;
    /** Time of its move to the trash. */
    trashed_at: Generated<number | null>;
    /** 1: an answer ended that no window showed. */
    unread: Generated<number>;
    /** 1: it is not kept; `beingAdded`. */
    temporary: Generated<number>;
    /** Source of an imported one, such as `chatgpt:<id>`: it is imported once. */
    import_source: Generated<string | null>;
    /** When the last message of all that was imported of it was written. */
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
    /** The removed message; all below it went too. */
    message_id: string;
    /** 1: it was the shown child of its parent. */
    was_shown: number;
    /** The leaf of the shown branch at that time, if the removal cut it. */
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
  /** Our name of the request, stored before it was sent: the gateway finds it by this if `request_id` never came. */
  client_request_id: Generated<string | null>;
  /** Our count of what was sent, where the model could search the web. */
  searched_tokens: Generated<number | null>;
  /** JSON: what was summarised or left out to fit the context. */
  room: Generated<string | null>;
  /** Gateway and wallet, such as `embedded/main`. */
  source: string | null;
  error: string | null;
  tool_calls: string;
  /** JSON: pages of the web that the answer rests on. */
  citations: Generated<string>;
  /** JSON: the files a user's message came with. */
  attachments: Generated<string>;
  /** JSON: the cost in its parts. */
  bill: Generated<string | null>;
  created_at: number;
  first_token_at: number | null;
  thought_ms: Generated<number | null>;
  finished_at: number | null;
  /** The child that is shown, or was last; null: the newest. */
  shown_child: Generated<string | null>;
  /** 1: continues its parent, an answer. */
  continues: Generated<number>;
  /** The removal that it belongs to; null: not removed. */
  deletion: Generated<string | null>;
  /** Its comparison, and its column from the left. */
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

/** `temporary` of a chat that is added in many steps: in no list, and removed by the next start if it was never finished. */
export const beingAdded = 2;

/** Deletes a chat. A message goes with its parent, and SQLite follows such a chain for 1,000 messages only: it is cut first. */
export async function deleteChat(tx: Kysely<Tables>, id: string): Promise<void> {
  await tx.updateTable('messages').set({ parent_id: null }).where('conversation_id', '=', id).execute();
  await tx.deleteFrom('conversations').where('id', '=', id).execute();
}

/** Runs pending migrations. */
export async function migrate(db: Db): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    // Features are developed in parallel: an earlier number may arrive later.
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

import type { Database } from 'better-sqlite3';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import { tool, toolServer } from '#shared/contract/app/tools.ts';
import { summary } from '#shared/contract/chat/context.ts';
import { conversation, message, scrollPosition } from '#shared/contract/chat/conversations.ts';
import { draft } from '#shared/contract/chat/drafts.ts';
import { preset } from '#shared/contract/chat/presets.ts';
import { queuedMessage } from '#shared/contract/chat/queue.ts';
import { problemText } from '#shared/contract/common/fields.ts';
import { usdAmount } from '#shared/wire/scalars.ts';
import { type NumberedRow, toMessage } from '../storage/database/message-row.ts';

export interface UnreadableRow {
  readonly table: string;
  /** Its rowid. */
  readonly row: number;
}

type Row = Readonly<Record<string, unknown>>;

/** Bytes of a row without its long texts: far above what is ever written, and little enough to be read at once. */
const maxRowBytes = 32 * 1024 * 1024;

/** Long texts, which are any text: they are not read. */
const texts = new Set(['text', 'reasoning', 'instructions']);

const json = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : (value ?? null));

const conversationRow = conversation
  .pick({ id: true, title: true, model: true })
  .extend({ created_at: z.int(), updated_at: z.int(), place: scrollPosition.nullable(), folds: z.array(z.string()) });
const summaryRow = summary.pick({ id: true, model: true, costUsd: true, bill: true });
const presetRow = preset.omit({ id: true, forNewChats: true });
const queuedRow = queuedMessage.pick({ id: true, model: true, compare: true, problem: true });
const draftRow = draft.pick({ model: true, compare: true });
const serverRow = toolServer.pick({ id: true, transport: true, problem: true }).extend({ tools: z.array(tool) });
const providerRow = z.object({ settings: z.looseObject({}), problem: problemText.nullable() });

/** What older versions did not have yet, as the migrations fill it in. */
const laterColumns = {
  attachments: '[]',
  citations: '[]',
  bill: null,
  room: null,
  continues: 0,
  comparison: null,
  comparison_column: null,
  comparing: null,
  thought_ms: null,
};

/** Reads a row as the app does, and throws where that would fail. `problem`: a sentence, which was no JSON in older versions. */
type ReadRow = (row: Row, problem: (value: unknown) => unknown) => unknown;

const readers: Readonly<Record<string, ReadRow>> = {
  messages: (row, problem) => {
    const whole = { ...laterColumns, ...row, text: '', reasoning: '', sibling_index: 1, sibling_count: 1 };
    const { room } = whole;
    return message.parse(toMessage({ ...whole, room: problem(room) === null ? null : room } as unknown as NumberedRow));
  },
  conversations: (row) => conversationRow.parse({ ...row, place: json(row.place), folds: json(row.folds) ?? [] }),
  summaries: (row) => summaryRow.parse({ ...row, costUsd: row.cost_usd, bill: json(row.bill) }),
  spend: (row) => usdAmount.nullable().parse(row.cost_usd),
  presets: (row) => presetRow.parse(json(row.value)),
  drafts: (row) => draftRow.parse({ ...row, compare: json(row.compare) ?? [] }),
  queued_messages: (row, problem) =>
    queuedRow.parse({ ...row, compare: json(row.compare) ?? [], problem: problem(row.problem) }),
  tool_servers: (row, problem) =>
    serverRow.parse({ ...row, transport: json(row.transport), tools: json(row.tools), problem: problem(row.problem) }),
  providers: (row, problem) => providerRow.parse({ settings: json(row.settings) ?? {}, problem: problem(row.problem) }),
  chat_options: ({ value }) => json(value),
  model_lists: ({ models }) => json(models),
};

/** What a tree of messages is by construction: parents are older and of the same chat, and a chat shows a branch of its own. */
const broken = [
  [
    'messages',
    `select m.rowid from messages m join messages p on p.id = m.parent_id
      where p.seq >= m.seq or p.conversation_id <> m.conversation_id limit 1`,
  ],
  [
    'conversations',
    `select c.rowid from conversations c join messages m on m.id = c.active_leaf where m.conversation_id <> c.id limit 1`,
  ],
] as const;

/**
 * The first row of a database of chats that the app could not read, by the schemas that reading has; null: it can read them all. It takes
 * time by the size of the file, and memory for one row. Runs in the worker.
 */
export function findUnreadableRow(path: string): UnreadableRow | null {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    const [dangling] = db.pragma('foreign_key_check') as { table: string; rowid: number | null }[];
    if (dangling) return { table: dangling.table, row: dangling.rowid ?? 0 };
    for (const [table, statement] of broken) {
      const row = db.prepare(statement).pluck().get() as number | undefined;
      if (row !== undefined) return { table, row };
    }
    const isNamed = db.prepare("select 1 from kysely_migration where name = '011-named-words'").get() !== undefined;
    const problem = (value: unknown): unknown => (isNamed ? json(value) : null);
    for (const [table, read] of Object.entries(readers)) {
      const row = unreadableIn(db, table, (each) => read(each, problem));
      if (row !== null) return { table, row };
    }
    return null;
  } finally {
    db.close();
  }
}

function unreadableIn(db: Database, table: string, read: (row: Row) => unknown): number | null {
  const all = db.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[];
  const columns = all.filter((name) => !texts.has(name));
  // A table of a later version than the backup's.
  if (columns.length === 0) return null;
  const bytes = columns.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ');
  const large = db.prepare(`select rowid from ${table} where ${bytes} > ${maxRowBytes} limit 1`).pluck().get();
  if (large !== undefined) return Number(large);
  const rows = db.prepare(`select rowid as at, ${columns.join(', ')} from ${table}`).iterate();
  for (const row of rows as IterableIterator<Row & { at: number }>) {
    try {
      read(row);
    } catch {
      return row.at;
    }
  }
  return null;
}

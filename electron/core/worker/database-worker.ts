import { parentPort, workerData } from 'node:worker_threads';
import Sqlite, { type Database } from 'better-sqlite3';
import type { Replacement } from '#gateway/operations/backup/replace-gateway-db.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { sentFailure } from '../storage/database/thread-failure.ts';
import { attachmentIds } from './attachment-ids.ts';
import { faultOfChats } from './check-database.ts';
import { backUpLedger, faultOfLedger, replaceLedger, stageLedger } from './ledger-copies.ts';
import { ledgerLines } from './ledger-lines.ts';
import { nameChats } from './name-chats.ts';
import type { DriftInput } from './price-drift.ts';
import { type ReconcileInput, reconcileLedger } from './reconcile-ledger.ts';
import { openRemoteLedger, type RemotePage, settleRemoteLedger, storeRemotePage } from './remote-ledger.ts';
import { searchMessages } from './search-messages.ts';
import { findUnreadableRow } from './unreadable-row.ts';
import { whatIfTask } from './what-if-task.ts';

interface LedgerSums {
  readonly requests: number;
  readonly spentUsd: string;
  readonly balanceUsd: string;
}

interface AccountSums {
  readonly id: string;
  readonly name: string;
  readonly sums: LedgerSums;
}

interface ComparedLedgers {
  readonly accounts: readonly {
    readonly id: string;
    readonly name: string;
    readonly copy: LedgerSums | null;
    readonly present: LedgerSums | null;
  }[];
  /** Keys that work now but aren't in the copy. */
  readonly lostKeys: readonly { readonly id: string; readonly label: string | null }[];
}

/**
 * Compares a copy of the ledger with the current one, account by account in the order of their creation. Runs in the
 * worker.
 */
function compareLedgers(copyFile: string, file: string, now: number): ComparedLedgers {
  const before = inLedger(copyFile, (db) => ({ accounts: accountsIn(db), keys: new Set(keyIds(db)) }));
  const present = inLedger(file, (db) => ({ accounts: accountsIn(db), keys: workingKeys(db, now) }));
  const inCopy = new Map(before.accounts.map((account) => [account.id, account]));
  const inPresent = new Map(present.accounts.map((account) => [account.id, account]));
  return {
    accounts: [...new Map([...inCopy, ...inPresent]).values()].map(({ id, name }) => ({
      id,
      name,
      copy: inCopy.get(id)?.sums ?? null,
      present: inPresent.get(id)?.sums ?? null,
    })),
    lostKeys: present.keys.filter(({ id }) => !before.keys.has(id)),
  };
}

function inLedger<Read>(file: string, read: (db: Database) => Read): Read {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    return db.transaction(() => read(db))();
  } finally {
    db.close();
  }
}

function accountsIn(db: Database): AccountSums[] {
  const rows = db
    .prepare(
      `select id, name, used, balance, (select count(*) from requests where account_id = accounts.id)
      from accounts order by created, id`,
    )
    .raw()
    .safeIntegers()
    .all() as [id: string, name: string, used: bigint, balance: bigint, requests: bigint][];
  const usd = (amount: bigint) => formatUsd(nanoUsd(amount));
  return rows.map(([id, name, used, balance, requests]) => ({
    id,
    name,
    sums: { requests: Number(requests), spentUsd: usd(used), balanceUsd: usd(balance) },
  }));
}

const keyIds = (db: Database) => db.prepare('select id from api_keys').pluck().all() as string[];

const workingKeys = (db: Database, now: number) =>
  db
    .prepare(
      `select id, label from api_keys where revoked_at is null and (expires_at is null or expires_at > ?)
      order by created, id`,
    )
    .all(now) as { id: string; label: string | null }[];

/** All pages are copied in one step, so nobody can write in between. */
const allPages = 2 ** 31 - 1;

/**
 * Copies one database file into another that is in use, as one transaction for everyone who has it open. Runs in the
 * worker: writers on the core's thread then wait for the transaction instead of being blocked by the copying.
 */
async function replaceDatabase(from: string, to: string): Promise<void> {
  const source = new Sqlite(from, { readonly: true, fileMustExist: true });
  try {
    await source.backup(to, { progress: () => allPages });
  } finally {
    source.close();
  }
}

/** The worker's tasks by name. Each gets a read-only connection to `portico.db`. */
const tasks = {
  search: (db: Database, { query, limit, beforeSeq }: { query: string; limit: number; beforeSeq: number | null }) =>
    searchMessages(db, query, limit, beforeSeq),
  find: (db: Database, { conversationId, text }: { conversationId: string; text: string }) =>
    findInBranch(db, conversationId, text),
  check: (_db: Database, { path }: { path: string }) => faultOfChats(path),
  unreadableRow: (_db: Database, { path }: { path: string }) => findUnreadableRow(path),
  names: (db: Database, { ids }: { ids: readonly string[] }) => nameChats(db, ids),
  files: (_db: Database, { path }: { path: string }) => attachmentIds(path),
  /** Loaded with the first exported answer. */
  markdown: async (_db: Database, { text }: { text: string }) =>
    (await import('../runtime/markup/render-markdown.ts')).renderMarkdown(text),
  ledgerLines,
  backUpLedger: (_db: Database, { database, file }: { database: string; file: string }) => backUpLedger(database, file),
  faultOfLedger: (_db: Database, { copy }: { copy: string }) => faultOfLedger(copy),
  compareLedgers: (_db: Database, { copy, database, now }: { copy: string; database: string; now: number }) =>
    compareLedgers(copy, database, now),
  stageLedger: (_db: Database, { copy, staged }: { copy: string; staged: string }) => stageLedger(copy, staged),
  replaceLedger: (_db: Database, replacement: Replacement) => replaceLedger(replacement),
  openRemoteLedger: (_db: Database, { source }: { source: string }) => openRemoteLedger(source),
  storeRemotePage: (_db: Database, page: RemotePage) => storeRemotePage(page),
  settleRemoteLedger: (_db: Database, input: { id: string; joined: boolean }) => settleRemoteLedger(input),
  reconcile: (db: Database, input: ReconcileInput) => reconcileLedger(db, input),
  /** Loaded with the first check, because it needs the price book. */
  drift: async (db: Database, input: DriftInput) => (await import('./price-drift.ts')).priceDrift(db, input),
  whatIf: whatIfTask,
  restore: (_db: Database, { from, to }: { from: string; to: string }) => replaceDatabase(from, to),
};

export type Tasks = typeof tasks;

let db: Database | null = null;

function connection(): Database {
  db ??= new Sqlite((workerData as { databasePath: string }).databasePath, { readonly: true, timeout: 5000 });
  return db;
}

parentPort?.on('message', async ({ name, input }: { name: keyof Tasks; input: never }) => {
  try {
    parentPort?.postMessage({ value: await tasks[name](connection(), input) });
  } catch (error) {
    parentPort?.postMessage({ failure: sentFailure(error) });
  }
});

interface BranchMatch {
  readonly messageId: string;
  readonly count: number;
}

/**
 * Finds matches of a text in the shown messages, oldest first: those of the branch, and all columns of shown
 * comparisons with the last answer of a retried column. Runs in the worker.
 */
function findInBranch(db: Database, conversationId: string, text: string): BranchMatch[] {
  const rows = db
    .prepare(
      `with recursive branch (id, parent_id, seq, depth) as (
        select m.id, m.parent_id, m.seq, 0 from messages m join conversations c on c.active_leaf = m.id where c.id = ?
        union all
        select m.id, m.parent_id, m.seq, depth + 1
        from messages m join branch b on m.id = b.parent_id and m.seq < b.seq
      ), beside (id, depth, position) as (
        select a.id, b.depth, a.comparison_column from branch b join messages q on q.id = b.id
        join messages a on a.comparison = q.comparing and a.conversation_id = q.conversation_id
        where a.deletion is null and not exists (
          select 1 from messages later where later.comparison = a.comparison and later.seq > a.seq
          and later.comparison_column = a.comparison_column and later.continues = 0 and later.deletion is null
        )
      ), shown (id, depth, position) as (
        select b.id, b.depth, -1 from branch b join messages m on m.id = b.id where m.comparison is null
        or m.comparison not in (select q.comparing from branch c join messages q on q.id = c.id where q.comparing not null)
        union all
        -- Right after their question, which is one further from the end.
        select id, depth - 0.5, position from beside
      )
      select m.id, m.text from shown s join messages m on m.id = s.id order by s.depth desc, s.position, m.seq`,
    )
    .iterate(conversationId) as IterableIterator<{ id: string; text: string }>;
  const needle = text.toLowerCase();
  const matches: BranchMatch[] = [];
  for (const row of rows) {
    const count = occurrences(row.text.toLowerCase(), needle);
    if (count > 0) matches.push({ messageId: row.id, count });
  }
  return matches;
}

function occurrences(text: string, needle: string): number {
  let count = 0;
  for (let index = text.indexOf(needle); index >= 0; index = text.indexOf(needle, index + needle.length)) count++;
  return count;
}

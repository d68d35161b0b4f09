import { parentPort, workerData } from 'node:worker_threads';
import Sqlite, { type Database } from 'better-sqlite3';
import type { Replacement } from '#gateway/operations/backup/replace-gateway-db.ts';
import { sentFailure } from '../storage/database/thread-failure.ts';
import { attachmentIds } from './attachment-ids.ts';
import { faultOfChats } from './check-database.ts';
import { compareLedgers } from './compare-ledgers.ts';
import { findInBranch } from './find-in-branch.ts';
import { backUpLedger, faultOfLedger, replaceLedger, stageLedger } from './ledger-copies.ts';
import { ledgerLines } from './ledger-lines.ts';
import { nameChats } from './name-chats.ts';
import type { DriftInput } from './price-drift.ts';
import { type ReconcileInput, reconcileLedger } from './reconcile-ledger.ts';
import { keepElsewhere, openElsewhere, settleElsewhere, type ToldPage } from './remote-ledger.ts';
import { replaceDatabase } from './replace-database.ts';
import { searchMessages } from './search-messages.ts';
import { whatIfTask } from './what-if-task.ts';

/** The worker’s tasks by name; each gets a read-only connection to `portico.db`. */
const tasks = {
  search: (db: Database, { query, limit, beforeSeq }: { query: string; limit: number; beforeSeq: number | null }) =>
    searchMessages(db, query, limit, beforeSeq),
  find: (db: Database, { conversationId, text }: { conversationId: string; text: string }) =>
    findInBranch(db, conversationId, text),
  check: (_db: Database, { path }: { path: string }) => faultOfChats(path),
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
  openElsewhere: (_db: Database, { source }: { source: string }) => openElsewhere(source),
  keepElsewhere: (_db: Database, page: ToldPage) => keepElsewhere(page),
  settleElsewhere: (_db: Database, input: { id: string; joined: boolean }) => settleElsewhere(input),
  reconcile: (db: Database, input: ReconcileInput) => reconcileLedger(db, input),
  /** Loaded with the first look, since it needs the price book. */
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

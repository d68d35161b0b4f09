import { parentPort, workerData } from 'node:worker_threads';
import Sqlite, { type Database } from 'better-sqlite3';
import { findInBranch } from './search/find-in-branch.ts';
import { searchMessages } from './search/search-messages.ts';

/** What the worker does, by name: each gets a connection to `portico.db` that only reads. */
const tasks = {
  search: (db: Database, { query, limit, beforeSeq }: { query: string; limit: number; beforeSeq: number | null }) =>
    searchMessages(db, query, limit, beforeSeq),
  find: (db: Database, { conversationId, text }: { conversationId: string; text: string }) =>
    findInBranch(db, conversationId, text),
};

export type Tasks = typeof tasks;

let db: Database | null = null;

function connection(): Database {
  db ??= new Sqlite((workerData as { databasePath: string }).databasePath, { readonly: true, timeout: 5000 });
  return db;
}

parentPort?.on('message', ({ name, input }: { name: keyof Tasks; input: never }) => {
  try {
    parentPort?.postMessage({ value: tasks[name](connection(), input) });
  } catch (error) {
    parentPort?.postMessage({ error });
  }
});

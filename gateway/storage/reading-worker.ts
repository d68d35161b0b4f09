import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/**
 * Runs what reads a large part of the books, on a connection that cannot write. Answers each message `{ id, sql, parameters }` with
 * `{ id, rows }`, or with `{ id, problem }` in words.
 */
const { path } = workerData as { readonly path: string };

interface Question {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

let database: Database.Database | null = null;

function opened(): Database.Database {
  if (database) return database;
  database = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 });
  database.defaultSafeIntegers(true);
  database.pragma('cache_size = -16000');
  return database;
}

parentPort?.on('message', ({ id, sql, parameters }: Question) => {
  try {
    parentPort?.postMessage({
      id,
      rows: opened()
        .prepare(sql)
        .all(...parameters),
    });
  } catch (error) {
    parentPort?.postMessage({ id, problem: String(error) });
  }
});

import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/**
 * Runs queries that read a large part of the database on a read-only connection. Answers each message `{ id, sql, parameters }`
 * with `{ id, rows }`, or with `{ id, problem }` as text.
 */
const { path } = workerData as { readonly path: string };

interface ReadRequest {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

let database: Database.Database | null = null;

function open(): Database.Database {
  if (database) return database;
  database = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 });
  database.defaultSafeIntegers(true);
  database.pragma('cache_size = -16000');
  return database;
}

parentPort?.on('message', ({ id, sql, parameters }: ReadRequest) => {
  try {
    parentPort?.postMessage({
      id,
      rows: open()
        .prepare(sql)
        .all(...parameters),
    });
  } catch (error) {
    parentPort?.postMessage({ id, problem: String(error) });
  }
});

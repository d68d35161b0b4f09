import { realpathSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { SqliteAdapter, type SqliteDatabase, type SqliteStatement } from 'kysely';
import type { DurableLog } from './durable-log.ts';
import { threadProgram } from './thread-program.ts';
import { TransactionDialect } from './transaction-dialect.ts';

/** More different statements than the gateway has; only a bound against a leak. */
const statementLimit = 500;

type Prepare = SqliteDatabase['prepare'];

/** Who has something to do around what is read and written through Kysely. */
export interface ConnectionHooks {
  /** Called before each statement and each transaction. Throws where it must not be run. */
  before(writes: boolean): void;
  /** Called after each statement that wrote, and after each transaction. */
  after(): void;
  closing(): void;
}

/** SQLite's one connection, below Kysely. */
export interface LedgerConnection {
  /** The real path of the database's file; null in memory. */
  readonly path: string | null;
  readonly prepare: Prepare;
  /** Whether a transaction is open, somebody's or that in which steps are brought in. */
  readonly inTransaction: boolean;
  /** Whether one of Kysely's is, which others have to wait for: known without asking SQLite. */
  isBusy: boolean;
  hooks: ConnectionHooks | null;
  /** Reads without the hooks: what is decided and not stored yet is not brought in first. */
  readonly readAsStored: (text: string, parameters: readonly unknown[]) => unknown[];
  /** Where large reads of a file are done; null in memory. */
  readonly reading: ReadingThread | null;
  /** All of it, as the file would be. */
  serialize(): Buffer;
}

/** By it whoever has Kysely's connection finds the one below. */
export class GatewaySqliteAdapter extends SqliteAdapter {
  readonly connection: LedgerConnection;

  constructor(connection: LedgerConnection) {
    super();
    this.connection = connection;
  }

  /** SQLite does roll DDL back; Kysely is only careful. A migration that dies half-way must leave nothing. */
  override get supportsTransactionalDdl() {
    return true;
  }
}

class GatewaySqliteDialect extends TransactionDialect {
  readonly #connection: LedgerConnection;
  /** For who works below Kysely: it ends no database that it was never asked about. Once or more often. */
  readonly close: () => void;

  constructor(database: SqliteDatabase, connection: LedgerConnection) {
    super(database, () => connection.inTransaction);
    this.#connection = connection;
    this.close = () => database.close();
  }

  override createAdapter() {
    return new GatewaySqliteAdapter(this.#connection);
  }
}

/**
 * Opens a SQLite file so that an acknowledged commit survives power loss (see `durable-log.ts`) and integers are
 * exact. Transactions begin IMMEDIATE: a read first and a write later would fail at once where a second process writes.
 * `begun`: what a database in memory begins with.
 */
export function sqliteDialect(path: string, log: DurableLog, begun: Buffer | null = null): GatewaySqliteDialect {
  const database = opened(begun ?? path);
  const file = path === ':memory:' || path === '' ? null : realpathSync(path);
  const connection: LedgerConnection = {
    path: file,
    prepare: (text) => database.prepare(text) as unknown as SqliteStatement,
    get inTransaction() {
      return database.inTransaction;
    },
    isBusy: false,
    hooks: null,
    readAsStored: (text, parameters) => cached(text).all(parameters),
    reading: file === null ? null : createReadingThread(file),
    serialize: () => database.serialize(),
  };
  const cached = statementCache((text) => prepared(text, database, log, connection));
  const prepare = (text: string) => {
    const statement = cached(text);
    if (!connection.isBusy) connection.hooks?.before(statement.writes);
    return statement;
  };
  const close = () => {
    if (!database.open) return;
    connection.reading?.close();
    connection.hooks?.closing();
    log.close();
    database.close();
  };
  return new GatewaySqliteDialect({ prepare, close }, connection);
}

function opened(file: string | Buffer): Database.Database {
  const database = new Database(file);
  try {
    database.defaultSafeIntegers(true);
    database.pragma('busy_timeout = 5000');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
    // A checkpoint stops the work for two disk syncs: rarely, then.
    database.pragma('wal_autocheckpoint = 4000');
    database.pragma('cache_size = -16000');
    return database;
  } catch (error) {
    // On Windows nobody could move a damaged file away, or put a backup in its place, while we have it open.
    database.close();
    throw error;
  }
}

type PreparedStatement = SqliteStatement & { readonly writes: boolean };

function statementCache(make: (text: string) => PreparedStatement): (text: string) => PreparedStatement {
  const cache = new Map<string, PreparedStatement>();
  return (text) => {
    const known = cache.get(text);
    if (known) return known;
    const statement = make(text);
    if (cache.size >= statementLimit) cache.clear();
    cache.set(text, statement);
    return statement;
  };
}

const ends = new Set(['commit', 'rollback']);

/** A statement that changes something: where it ends a transaction, or is one by itself, the log has to be synced. */
function prepared(
  text: string,
  database: Database.Database,
  log: DurableLog,
  connection: LedgerConnection,
): PreparedStatement {
  const begins = text === 'begin';
  const statement = database.prepare(begins ? 'begin immediate' : text);
  const writes = begins || !statement.readonly;
  const changes = writes || ends.has(text);
  const run = <T>(work: () => T): T => {
    try {
      const result = work();
      if (changes && text !== 'rollback' && !database.inTransaction) log.committed();
      return result;
    } finally {
      if (changes || connection.isBusy) connection.isBusy = database.inTransaction;
      if (changes && !connection.isBusy) connection.hooks?.after();
    }
  };
  return {
    writes,
    reader: statement.reader,
    all: (parameters: readonly unknown[]) => run(() => statement.all(...parameters)),
    run: (parameters: readonly unknown[]) => run(() => statement.run(...parameters)),
    iterate: (parameters: readonly unknown[]) => statement.iterate(...parameters) as IterableIterator<unknown>,
  };
}

/** Reads from a SQLite file on a thread of its own, which begins with the first question. */
interface ReadingThread {
  read(sql: string, parameters: readonly unknown[]): Promise<readonly unknown[]>;
  close(): void;
}

interface Answer {
  readonly id: number;
  readonly rows?: readonly unknown[];
  readonly problem?: string;
}

interface Asked {
  resolve(rows: readonly unknown[]): void;
  reject(error: Error): void;
}

function createReadingThread(path: string): ReadingThread {
  let worker: Worker | null = null;
  let last = 0;
  const waiting = new Map<number, Asked>();

  function failAll(error: Error): void {
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function answered({ id, rows, problem }: Answer): void {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker?.unref();
    if (rows) asked?.resolve(rows);
    else asked?.reject(new Error(problem ?? 'the reading thread said nothing'));
  }

  function started(): Worker {
    const thread = new Worker(threadProgram('reading-worker'), { workerData: { path } });
    thread.on('message', answered);
    thread.on('error', (error) => failAll(error instanceof Error ? error : new Error(String(error))));
    worker = thread;
    return thread;
  }

  return {
    read: (sql, parameters) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        const thread = worker ?? started();
        // Who waits for an answer keeps the process; a thread that only could be asked does not.
        thread.ref();
        thread.postMessage({ id: last, sql, parameters });
      }),
    close() {
      const closing = worker;
      failAll(new Error('the books were closed'));
      void closing?.terminate();
    },
  };
}

import { realpathSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { SqliteAdapter, type SqliteDatabase, type SqliteStatement } from 'kysely';
import type { DurableLog } from './durable-log.ts';
import { threadProgram } from './thread-program.ts';
import { TransactionDialect } from './transaction-dialect.ts';

/** More than the number of different statements that the gateway has. It only guards against a leak. */
const statementLimit = 500;

type Prepare = SqliteDatabase['prepare'];

/** Callbacks around everything that is read and written through Kysely. */
export interface ConnectionHooks {
  /** Called before each statement and each transaction. Throws when it must not run. */
  before(writes: boolean): void;
  /** Called after each statement that wrote, and after each transaction. */
  after(): void;
  closing(): void;
}

/** SQLite's one connection, below Kysely. */
export interface LedgerConnection {
  /** The real path of the database file. Null in memory. */
  readonly path: string | null;
  readonly prepare: Prepare;
  /** Whether a transaction is open: somebody's, or that of a flush. */
  readonly inTransaction: boolean;
  /** Whether a transaction of Kysely is open, for which others must wait. Known without asking SQLite. */
  isBusy: boolean;
  hooks: ConnectionHooks | null;
  /** Reads without the hooks, so unflushed events aren't written first. */
  readonly readAsStored: (text: string, parameters: readonly unknown[]) => unknown[];
  /** The thread for large reads of a file. Null in memory. */
  readonly reading: ReadingThread | null;
  /** Returns the complete database, as its file would be. */
  serialize(): Buffer;
}

/** Gives code that only has Kysely's connection access to the one below. */
export class GatewaySqliteAdapter extends SqliteAdapter {
  readonly connection: LedgerConnection;

  constructor(connection: LedgerConnection) {
    super();
    this.connection = connection;
  }

  /** SQLite does roll back DDL; Kysely just doesn't rely on it. A migration that fails halfway must leave nothing. */
  override get supportsTransactionalDdl() {
    return true;
  }
}

class GatewaySqliteDialect extends TransactionDialect {
  readonly #connection: LedgerConnection;
  /** Closes a connection that Kysely may never have used, which its own `destroy` wouldn't do. May be called repeatedly. */
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
 * Opens a SQLite file so that an acknowledged commit survives power loss (see `durable-log.ts`) and integers are exact.
 * Transactions begin IMMEDIATE: one that reads first and writes later would fail at once if a second process wrote in between.
 * `initial` is the initial content of a database in memory.
 */
export function sqliteDialect(path: string, log: DurableLog, initial: Buffer | null = null): GatewaySqliteDialect {
  const database = opened(initial ?? path);
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
    // A checkpoint blocks this thread for two disk syncs, so it should be rare.
    database.pragma('wal_autocheckpoint = 4000');
    database.pragma('cache_size = -16000');
    return database;
  } catch (error) {
    // On Windows a damaged file can't be moved away or replaced by a backup while it's open.
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

/** Prepares a statement. One that writes must sync the log when it ends a transaction or runs outside of one. */
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

/** Reads from a SQLite file on its own thread, which starts with the first query. */
interface ReadingThread {
  read(sql: string, parameters: readonly unknown[]): Promise<readonly unknown[]>;
  close(): void;
}

interface Answer {
  readonly id: number;
  readonly rows?: readonly unknown[];
  readonly problem?: string;
}

interface PendingRead {
  resolve(rows: readonly unknown[]): void;
  reject(error: Error): void;
}

function createReadingThread(path: string): ReadingThread {
  let worker: Worker | null = null;
  let last = 0;
  const waiting = new Map<number, PendingRead>();

  function failAll(error: Error): void {
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function answered({ id, rows, problem }: Answer): void {
    const pending = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker?.unref();
    if (rows) pending?.resolve(rows);
    else pending?.reject(new Error(problem ?? 'the reading thread said nothing'));
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
        // A pending query keeps the process alive; an idle thread doesn't.
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

import { Worker } from 'node:worker_threads';
import { maxNano } from '#shared/money.ts';
import { type LogFiles, openLogFiles } from '../../storage/log-files.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { GatewaySqliteAdapter, type LedgerConnection } from '../../storage/sqlite.ts';
import { threadProgram } from '../../storage/thread-program.ts';
import { WriteAheadLogFault } from '../../storage/write-ahead-log-fault.ts';
import {
  type CommandResult,
  type DecisionContext,
  decideCommands,
  type LedgerCommand,
  toCommand,
} from '../decide-commands.ts';
import type { LedgerChanges } from '../ledger-batch.ts';
import type { AccountState, KeyState, LedgerSnapshot, RequestState } from '../ledger-snapshot.ts';
import { stepText } from './event-text.ts';
import { createLedgerFlush, snapshotOn } from './flush.ts';
import { replayWriteAheadLog } from './replay-write-ahead-log.ts';

/** Accounts and keys that are remembered; then all are read anew. */
const most = 10_000;

/** The books as they are with all that was decided, also where the database lacks it yet. */
interface MemoryLedger extends LedgerSnapshot {
  /** Whether somebody else has changed the database: it is read anew once it lacks nothing. */
  stale: boolean;
  forget(): void;
  /** Throws where a sum would be more than the database can keep. */
  requireRoom(changes: LedgerChanges): void;
  /** Remembers what was decided. */
  decided(changes: LedgerChanges): void;
  /** Forgets the requests that have ended and are in the database. */
  written(ended: readonly string[]): void;
}

function createMemoryLedger(connection: LedgerConnection): MemoryLedger {
  const stored = snapshotOn(connection);
  const accounts = new Map<string, AccountState>();
  const keys = new Map<string, KeyState>();
  const requests = new Map<string, RequestState>();
  // Ids rise: one beyond the highest is new, without the database being asked.
  let highest: string | null = null;

  function read<Row>(rows: Map<string, Row>, id: string, load: (id: string) => Row | undefined): Row | undefined {
    const known = rows.get(id);
    if (known !== undefined) return known;
    // What is not remembered the database lacks nothing of.
    const row = load(id);
    if (row !== undefined) rows.set(id, row);
    return row;
  }

  const memory: MemoryLedger = {
    stale: false,
    account: (id) => read(accounts, id, stored.account),
    key: (id) => read(keys, id, stored.key),
    request(id) {
      const known = requests.get(id);
      if (known) return known;
      highest ??= stored.highestRequest();
      return id > highest ? undefined : stored.request(id);
    },
    forget() {
      memory.stale = false;
      accounts.clear();
      keys.clear();
      requests.clear();
      highest = null;
    },
    requireRoom({ accounts: changed, keys: spending, closed }) {
      // What is used is also the month's; a balance is what was granted less that; what is held has each request's hold in it.
      for (const { held, used } of changed) requireFits(held + used);
      for (const { held, spent } of spending) requireFits(held + spent);
      for (const { settlement } of closed) requireFits(settlement.upstreamCost);
    },
    decided(changes) {
      memory.stale ||= accounts.size + keys.size > most;
      for (const account of changes.accounts) accounts.set(account.id, account);
      for (const key of changes.keys) keys.set(key.id, key);
      for (const [id, request] of changes.requests) {
        requests.set(id, request);
        if (highest !== null && id > highest) highest = id;
      }
    },
    written(ended) {
      for (const id of ended) requests.delete(id);
    },
  };
  return memory;
}

function requireFits(amount: bigint): void {
  if (amount > maxNano) throw new Error(`${amount} is more than the books can keep`);
}

export type Log = (entry: Readonly<Record<string, unknown>>) => void;

/** SQLite is filled this long after the first step that it lacks: what was opened and closed by then is one row written once. */
const flushEveryMs = 120;
/** Steps in one transaction. It is written in portions, or it would hold up the event loop; who reads waits for all of it. */
const maxCommands = 5_000;
/** Between two portions. */
const pauseMs = 2;
/** So many steps may wait while the database cannot be written: beyond it nothing new is begun. */
const maxWaiting = 50_000;
/** How often another process's changes are looked for. */
const lookEveryMs = 50;
const retryMs = 500;
/** Of SQLite's log, 4 KB each: so many are brought into the file by a thread of its own at once, a quarter of them after a while. */
const longLogPages = 8_000;
const checkpointEveryMs = 30_000;
/** So many are brought in by the thread that serves, which then serves nobody: only where the other one cannot keep up. */
const maxLogPages = 3 * longLogPages;

/**
 * The steps of the one process that owns a SQLite file. They are decided in memory and appended to a file beside the
 * database; the database is filled a moment later (docs/decisions/039-write-ahead-log.md).
 */
export interface WriteAheadLog {
  /**
   * Decides a step and writes it down, while the books are not busy. Throws `WriteAheadLogFault` where that cannot be done: then
   * nothing has changed.
   */
  take(command: LedgerCommand, context: DecisionContext): CommandResult;
  /** Calls back when all that was taken until now is on the disk, or cannot be brought there. */
  whenDurable(done: (fault: WriteAheadLogFault | null) => void): void;
  /** Whether somebody's transaction is open: steps are to be taken once it is over. */
  readonly isBusy: boolean;
  whenFree(): Promise<void>;
  /** Writes into the database all that waits. */
  flush(): void;
}

const logs = new WeakMap<LedgerConnection, WriteAheadLog>();

/**
 * The journal of an open database, which this process must own (`serving-lock.ts`). Opening it first brings into the database
 * what an earlier process has left. Throws `internal_error` where the journal is damaged.
 */
export function getWriteAheadLog(db: GatewayDb, log: Log): WriteAheadLog {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof GatewaySqliteAdapter)) throw new Error('only SQLite has a journal');
  const journal = logs.get(adapter.connection) ?? openJournal(adapter.connection, log);
  logs.set(adapter.connection, journal);
  return journal;
}

function openJournal(connection: LedgerConnection, log: Log): WriteAheadLog {
  const { path } = connection;
  const { databaseId, applied } = replayWriteAheadLog(connection, log);
  const files = path === null ? inMemory(applied) : openLogFiles(path, databaseId, applied);
  if (path !== null) connection.prepare(`pragma wal_autocheckpoint = ${maxLogPages}`).all([]);
  const logState = connection.prepare('pragma wal_checkpoint(NOOP)');
  const checkpoints = path === null ? null : createCheckpoints(path);
  const flush = createLedgerFlush(connection);
  const cache = createMemoryLedger(connection);
  const free: (() => void)[] = [];
  let timer: NodeJS.Timeout | null = null;
  let lookedAt = 0;
  let troubled = false;
  let checkpointing = false;
  let checkpointedAt = performance.now();
  let checkpointedPages = 0;

  function flushAll(): void {
    if (connection.isBusy) throw new Error('the books cannot be filled inside a transaction');
    while (flush.waiting > 0) flushPortion();
    if (cache.stale) cache.forget();
  }

  /** Returns whether a transaction was committed with it. */
  function flushPortion(): boolean {
    const ended = flush.proceed(maxCommands);
    if (!ended) return false;
    cache.written(ended);
    if (cache.stale && flush.waiting === 0) cache.forget();
    return true;
  }

  function schedule(ms: number): void {
    timer ??= setTimeout(() => flushUpTo(files.last), ms);
  }

  /** In portions, between which the event loop gets its turn. */
  function flushUpTo(last: number): void {
    timer = null;
    try {
      if (connection.isBusy) {
        schedule(1);
        return;
      }
      const committed = flush.waiting === 0 || flushPortion();
      if (committed && troubled) {
        log({ event: 'ledger_flush_recovered', level: 'info' });
        troubled = false;
      }
      // Else a transaction is open, in which SQLite tells nothing of its log.
      if (committed) checkpointIfDue();
    } catch (error) {
      if (!troubled)
        log({ event: 'ledger_flush_failed', level: 'error', waiting: flush.waiting, cause: String(error) });
      troubled = true;
      schedule(retryMs);
      return;
    }
    if (flush.waiting > 0 && flush.applied < last) timer = setTimeout(flushUpTo, pauseMs, last);
    else if (flush.waiting > 0) schedule(flushEveryMs);
  }

  /**
   * Where SQLite's log is long, or where the database has all that a file holds which was left: once that is on the disk, the file may
   * be written over.
   */
  function checkpointIfDue(): void {
    if (!checkpoints || checkpointing) return;
    const { left } = files;
    const mayRelease = left !== null && left <= flush.applied;
    const pages = logPages();
    if (!mayRelease && !hasGrown(pages)) return;
    checkpointing = true;
    checkpointedAt = performance.now();
    checkpointedPages = pages;
    checkpoints.begin((error) => {
      checkpointing = false;
      if (error) log({ event: 'checkpoint_failed', level: 'error', cause: String(error) });
      else if (mayRelease) files.release();
    });
  }

  const logPages = () => Number((logState.all([])[0] as { log: bigint }).log);

  /**
   * SQLite's own log grows by what others write too, and by as many pages for few steps as for many. What the last checkpoint had to
   * leave, because somebody reads what is older, does not count again; a log that was wholly in begins anew.
   */
  function hasGrown(pages: number): boolean {
    const grown = pages < checkpointedPages ? pages : pages - checkpointedPages;
    const isLate = performance.now() - checkpointedAt > checkpointEveryMs;
    return grown > (isLate ? longLogPages / 4 : longLogPages);
  }

  function look(): boolean {
    lookedAt = performance.now();
    if (!flush.changedElsewhere()) return false;
    cache.stale = true;
    try {
      flushAll();
    } catch {
      // Called where the database is filled in its time; until then what was read before is what is known.
      return false;
    }
    flush.seenElsewhere();
    return true;
  }

  const decided = (command: LedgerCommand, context: DecisionContext) => {
    const { results, changes } = decideCommands([command], cache, context);
    return { result: results[0] as CommandResult, changes };
  };

  connection.hooks = {
    before(writes) {
      try {
        flushAll();
      } catch (error) {
        // What is stored can still be read; nothing may be written before what came earlier.
        if (writes) throw error;
      }
    },
    after() {
      cache.stale = true;
      if (flush.waiting === 0) cache.forget();
      for (const resolve of free.splice(0)) resolve();
    },
    closing() {
      if (timer) clearTimeout(timer);
      checkpoints?.close();
      closeWriteAheadLog(connection, files, flushAll, log);
    },
  };

  return {
    take(command, context) {
      if (command.do === 'hold' && flush.waiting > maxWaiting)
        throw new WriteAheadLogFault(new Error('too many steps wait'));
      if (performance.now() - lookedAt > lookEveryMs) look();
      let { result, changes } = decided(command, context);
      const refused = 'error' in result || result.value === false;
      if (refused && look()) ({ result, changes } = decided(command, context));
      const done = toCommand(changes);
      if (!done) return result;
      cache.requireRoom(changes);
      // The hold must outlive this process before an upstream is asked; who ends a request waits until that is durable.
      flush.add(done, files.append(stepText(done), done.do === 'close'));
      cache.decided(changes);
      schedule(flushEveryMs);
      return result;
    },
    whenDurable: (done) => files.whenDurable(files.last, done),
    get isBusy() {
      return connection.isBusy;
    },
    whenFree: () => new Promise((resolve) => free.push(resolve)),
    flush: flushAll,
  };
}

function closeWriteAheadLog(connection: LedgerConnection, files: LogFiles, flushAll: () => void, log: Log): void {
  connection.hooks = null;
  let whole = false;
  try {
    flushAll();
    const [row] = connection.prepare('pragma wal_checkpoint(TRUNCATE)').all([]) as { busy: bigint }[];
    whole = row?.busy === 0n;
  } catch (error) {
    // The journal has it: whoever opens the books next brings it in.
    log({ event: 'ledger_flush_failed', level: 'error', cause: String(error) });
  }
  files.close(whole);
}

/** Books in memory are gone with the process, and so would be their journal. */
function inMemory(start: number): LogFiles {
  let last = start;
  return {
    get last() {
      return last;
    },
    append: () => ++last,
    whenDurable: (_number, done) => done(null),
    left: null,
    release() {},
    close() {},
  };
}

interface Checkpoints {
  /** Makes what is committed durable in the database's own file. Calls back when it is, or with why it is not. */
  begin(done: (error: Error | null) => void): void;
  close(): void;
}

/** Checkpoints on a thread of their own, which begins with the first one. One at a time. */
function createCheckpoints(path: string): Checkpoints {
  let worker: Worker | null = null;
  let waiting: ((error: Error | null) => void) | null = null;

  function end(error: Error | null): void {
    const done = waiting;
    waiting = null;
    done?.(error);
  }

  function started(): Worker {
    const thread = new Worker(threadProgram('checkpoint-worker'), { workerData: { path } });
    thread.unref();
    thread.on('message', (problem: string | null) => end(problem === null ? null : new Error(problem)));
    thread.on('error', (error) => {
      worker = null;
      end(error instanceof Error ? error : new Error(String(error)));
    });
    worker = thread;
    return thread;
  }

  return {
    begin(done) {
      waiting = done;
      (worker ?? started()).postMessage('checkpoint');
    },
    close() {
      waiting = null;
      void worker?.terminate();
    },
  };
}

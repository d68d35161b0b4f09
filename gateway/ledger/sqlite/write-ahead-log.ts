import { Worker } from 'node:worker_threads';
import { maxNano } from '#shared/money.ts';
import { type LogFiles, openLogFiles } from '../../storage/log-files.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { GatewaySqliteAdapter, type LedgerConnection } from '../../storage/sqlite.ts';
import { threadProgram } from '../../storage/thread-program.ts';
import { WriteAheadLogFault } from '../../storage/write-ahead-log-fault.ts';
import { type CommandResult, type DecisionContext, decideCommands, type LedgerCommand } from '../decide-commands.ts';
import type { LedgerChanges } from '../ledger-batch.ts';
import type { AccountState, KeyState, LedgerSnapshot, RequestState } from '../ledger-snapshot.ts';
import { toEventText } from './event-text.ts';
import { createLedgerFlush, snapshotOn } from './flush.ts';
import { replayWriteAheadLog } from './replay-write-ahead-log.ts';

/** How many accounts and keys are cached. Beyond that the cache is emptied. */
const maxCached = 10_000;

/** The ledger with everything that was decided, including what the database doesn't have yet. */
interface MemoryLedger extends LedgerSnapshot {
  /** Whether somebody else has changed the database. The cache is then emptied as soon as nothing waits to be flushed. */
  stale: boolean;
  forget(): void;
  /** Throws when a sum would exceed what a database column can store. */
  requireColumnsFit(changes: LedgerChanges): void;
  /** Caches the changes of a decision. */
  remember(changes: LedgerChanges): void;
  /** Forgets requests that have ended and are in the database. */
  forgetEnded(ended: readonly string[]): void;
}

function createMemoryLedger(connection: LedgerConnection): MemoryLedger {
  const stored = snapshotOn(connection);
  const accounts = new Map<string, AccountState>();
  const keys = new Map<string, KeyState>();
  const requests = new Map<string, RequestState>();
  // Ids rise, so an id above the highest one must be new and needs no query.
  let highest: string | null = null;

  function read<Row>(rows: Map<string, Row>, id: string, load: (id: string) => Row | undefined): Row | undefined {
    const known = rows.get(id);
    if (known !== undefined) return known;
    // A row that isn't cached has no unflushed changes, so the database is current.
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
    requireColumnsFit({ accounts: changed, keys: spending, closed }) {
      // Checking these two sums is enough: the month's charges are part of `used`, a balance is what was granted minus `used`,
      // and each request's hold is part of `held`.
      for (const { held, used } of changed) requireFits(held + used);
      for (const { held, spent } of spending) requireFits(held + spent);
      for (const { settlement } of closed) requireFits(settlement.upstreamCost);
    },
    remember(changes) {
      memory.stale ||= accounts.size + keys.size > maxCached;
      for (const account of changes.accounts) accounts.set(account.id, account);
      for (const key of changes.keys) keys.set(key.id, key);
      for (const [id, request] of changes.requests) {
        requests.set(id, request);
        if (highest !== null && id > highest) highest = id;
      }
    },
    forgetEnded(ended) {
      for (const id of ended) requests.delete(id);
    },
  };
  return memory;
}

function requireFits(amount: bigint): void {
  if (amount > maxNano) throw new Error(`${amount} is more than the books can keep`);
}

export type Log = (entry: Readonly<Record<string, unknown>>) => void;

/**
 * How long after the first unflushed event SQLite is written. A request that was opened and closed by then is written as one row.
 */
const flushEveryMs = 120;
/** Events in one transaction. It's written in portions so the event loop isn't blocked, but a reader waits for all of it. */
const maxCommands = 5_000;
/** The pause between two portions. */
const pauseMs = 2;
/** How many events may wait while the database can't be written. Beyond that, new requests are refused. */
const maxWaiting = 50_000;
/** How often changes by other processes are looked for. */
const checkEveryMs = 50;
const retryMs = 500;
/**
 * Pages of 4 KB in SQLite's own log. A separate thread copies them into the database file: at this number at once, at a quarter
 * of it after `checkpointEveryMs`.
 */
const longLogPages = 8_000;
const checkpointEveryMs = 30_000;
/**
 * At this size SQLite checkpoints on the serving thread, which blocks it. It only happens when the other thread can't keep up.
 */
const maxLogPages = 3 * longLogPages;

/**
 * The write-ahead log of the one process that owns a SQLite file. Commands are decided in memory and their events appended to a
 * file beside the database; a flush writes them into the database a moment later (docs/decisions/039-write-ahead-log.md).
 */
export interface WriteAheadLog {
  /**
   * Decides a command and appends its event to the log. Must not be called while `isBusy`. Throws `WriteAheadLogFault` when it
   * can't be written, and nothing has changed then.
   */
  take(command: LedgerCommand, context: DecisionContext): CommandResult;
  /** Calls back when everything taken until now is on the disk, or with the fault that prevents it. */
  whenDurable(done: (fault: WriteAheadLogFault | null) => void): void;
  /** Whether somebody's transaction is open. Commands must wait until it's over. */
  readonly isBusy: boolean;
  whenFree(): Promise<void>;
  /** Writes all waiting events into the database. */
  flush(): void;
}

const logs = new WeakMap<LedgerConnection, WriteAheadLog>();

/**
 * Returns the write-ahead log of an open database, which this process must own (`serving-lock.ts`). The first call replays what
 * an earlier process left. Throws `internal_error` when the log is damaged.
 */
export function getWriteAheadLog(db: GatewayDb, log: Log): WriteAheadLog {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof GatewaySqliteAdapter)) throw new Error('only SQLite has a journal');
  const writeAheadLog = logs.get(adapter.connection) ?? openWriteAheadLog(adapter.connection, log);
  logs.set(adapter.connection, writeAheadLog);
  return writeAheadLog;
}

function openWriteAheadLog(connection: LedgerConnection, log: Log): WriteAheadLog {
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
  let checkedAt = 0;
  let isFailing = false;
  let checkpointing = false;
  let checkpointedAt = performance.now();
  let checkpointedPages = 0;

  function flushAll(): void {
    if (connection.isBusy) throw new Error('the books cannot be filled inside a transaction');
    while (flush.waiting > 0) flushPortion();
    if (cache.stale) cache.forget();
  }

  /** Returns whether this portion committed a transaction. */
  function flushPortion(): boolean {
    const ended = flush.proceed(maxCommands);
    if (!ended) return false;
    cache.forgetEnded(ended);
    if (cache.stale && flush.waiting === 0) cache.forget();
    return true;
  }

  function schedule(ms: number): void {
    timer ??= setTimeout(() => flushUpTo(files.last), ms);
  }

  /** Flushes in portions, between which the event loop runs. */
  function flushUpTo(last: number): void {
    timer = null;
    try {
      if (connection.isBusy) {
        schedule(1);
        return;
      }
      const committed = flush.waiting === 0 || flushPortion();
      if (committed && isFailing) {
        log({ event: 'ledger_flush_recovered', level: 'info' });
        isFailing = false;
      }
      // Inside an open transaction, SQLite reports nothing about its log.
      if (committed) checkpointIfDue();
    } catch (error) {
      if (!isFailing)
        log({ event: 'ledger_flush_failed', level: 'error', waiting: flush.waiting, cause: String(error) });
      isFailing = true;
      schedule(retryMs);
      return;
    }
    if (flush.waiting > 0 && flush.applied < last) timer = setTimeout(flushUpTo, pauseMs, last);
    else if (flush.waiting > 0) schedule(flushEveryMs);
  }

  /**
   * Begins a checkpoint when SQLite's own log is long, or when the database has every event of the file that was left behind:
   * that file may be overwritten once the database is synced.
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
   * SQLite's own log also grows by what other connections write, and by as many pages for few events as for many. Pages that the
   * last checkpoint had to leave, because somebody was still reading an older version, don't count again. A log that was copied
   * completely starts over.
   */
  function hasGrown(pages: number): boolean {
    const grown = pages < checkpointedPages ? pages : pages - checkpointedPages;
    const isLate = performance.now() - checkpointedAt > checkpointEveryMs;
    return grown > (isLate ? longLogPages / 4 : longLogPages);
  }

  function refreshIfChanged(): boolean {
    checkedAt = performance.now();
    if (!flush.changedByOthers()) return false;
    cache.stale = true;
    try {
      flushAll();
    } catch {
      // The regular flush reports the error. Until it succeeds, the cached rows are the best knowledge.
      return false;
    }
    flush.markSeen();
    return true;
  }

  const decideOne = (command: LedgerCommand, context: DecisionContext) => {
    const { results, changes } = decideCommands([command], cache, context);
    return { result: results[0] as CommandResult, changes };
  };

  connection.hooks = {
    before(writes) {
      try {
        flushAll();
      } catch (error) {
        // Stored rows can still be read, but nothing may be written before the earlier events are in.
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
      if (performance.now() - checkedAt > checkEveryMs) refreshIfChanged();
      let { result, changes } = decideOne(command, context);
      const refused = 'error' in result || result.value === false;
      if (refused && refreshIfChanged()) ({ result, changes } = decideOne(command, context));
      if (!('event' in result)) return result;
      const { event } = result;
      cache.requireColumnsFit(changes);
      // The hold must survive this process before an upstream is called. The end of a request waits until it's durable.
      flush.add(event, files.append(toEventText(event), event.do === 'close'));
      cache.remember(changes);
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
  let isComplete = false;
  try {
    flushAll();
    const [row] = connection.prepare('pragma wal_checkpoint(TRUNCATE)').all([]) as { busy: bigint }[];
    isComplete = row?.busy === 0n;
  } catch (error) {
    // The write-ahead log has the events: the next process that opens the database replays them.
    log({ event: 'ledger_flush_failed', level: 'error', cause: String(error) });
  }
  files.close(isComplete);
}

/** A database in memory dies with the process, so its log needs no file. */
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
  /** Makes committed data durable in the database file. Calls back with null, or with the error. */
  begin(done: (error: Error | null) => void): void;
  close(): void;
}

/** Runs checkpoints, one at a time, on a thread that starts with the first one. */
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

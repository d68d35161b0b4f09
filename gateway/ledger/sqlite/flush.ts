import { maxNano } from '#shared/money.ts';
import type { LedgerConnection } from '../../storage/sqlite.ts';
import { applyEvent, type LedgerEvent } from '../decide-commands.ts';
import {
  type ChargeEntry,
  type ClosedRequest,
  closedRow,
  LedgerBatch,
  type LedgerChanges,
  type OpenedRequest,
} from '../ledger-batch.ts';
import type { AccountState, KeyState, LedgerSnapshot, RequestState } from '../ledger-snapshot.ts';

/** Writes events into the database, in their order. */
interface LedgerFlush {
  /** How many events the database doesn't have yet. */
  readonly waiting: number;
  /** The number of the last event that the database has. */
  readonly applied: number;
  /** Queues an event, with its number in the write-ahead log. */
  add(event: LedgerEvent, number: number): void;
  /**
   * Works on one portion of a transaction; begins a transaction of at most `max` events if none is open. Returns null until the
   * transaction is committed, then the ids of the requests that ended in it. Throws when nothing was written.
   */
  proceed(max: number): readonly string[] | null;
  /** Whether another connection has changed the database since `markSeen` was last called. */
  changedByOthers(): boolean;
  markSeen(): void;
}

interface Numbered {
  readonly event: LedgerEvent;
  readonly number: number;
}

/**
 * A transaction first applies the events in memory, then writes the rows, in portions of about a millisecond. The number of
 * portions is bounded, so portions grow with the amount of work: under full load each one waits for the event loop, and events
 * must not arrive faster than they are written.
 */
const portionEvents = 100;
const maxApplyPortions = 4;
const portionRows = 24;
const maxPortions = 12;

export function createLedgerFlush(connection: LedgerConnection): LedgerFlush {
  const { prepare } = connection;
  const snapshot = snapshotOn(connection);
  const [begin, commit, rollback] = ['begin immediate', 'commit', 'rollback'].map((text) => prepare(text));
  const setApplied = prepare('update step_journal set applied = ?');
  const version = prepare('pragma data_version');
  const readVersion = () => (version.all([])[0] as { data_version: bigint }).data_version;
  // Running requests as they are stored. Only the process that serves the file changes them, so they can be cached here.
  const running = new Map<string, RequestState>();
  const stored: LedgerSnapshot = {
    account: snapshot.account,
    key: snapshot.key,
    request: (id) => running.get(id) ?? snapshot.request(id),
  };
  let waiting: Numbered[] = [];
  let open: ReturnType<typeof transaction> | null = null;
  let applied = (prepare('select applied from step_journal').all([])[0] as { applied: bigint }).applied;
  let seen = readVersion();

  /** One transaction in portions. The event loop runs between them, but nothing else may use this connection. */
  function* transaction(events: readonly Numbered[]): Generator<void, readonly string[]> {
    const last = BigInt(events.at(-1)?.number ?? 0);
    begin?.run([]);
    const batch = new LedgerBatch(stored);
    try {
      const portionSize = Math.max(portionEvents, Math.ceil(events.length / maxApplyPortions));
      let appliedCount = 0;
      for (const { event } of events) {
        applyEvent(event, batch);
        if (++appliedCount % portionSize === 0) yield;
      }
      const rows = Math.max(portionRows, Math.ceil(events.length / maxPortions));
      let written = 0;
      for (const _ of snapshot.write(batch)) if (++written % rows === 0) yield;
      setApplied.run([last]);
      commit?.run([]);
    } catch (error) {
      if (connection.inTransaction) rollback?.run([]);
      throw error;
    }
    waiting = waiting.slice(events.length);
    applied = last;
    return endedBy(batch.requests);
  }

  function endedBy(requests: ReadonlyMap<string, RequestState>): readonly string[] {
    const ended: string[] = [];
    for (const [id, request] of requests) {
      if (request.status === 'running') running.set(id, request);
      else {
        running.delete(id);
        ended.push(id);
      }
    }
    return ended;
  }

  return {
    get waiting() {
      return waiting.length;
    },
    get applied() {
      return Number(applied);
    },
    add: (event, number) => void waiting.push({ event, number }),
    proceed(max) {
      open ??= transaction(waiting.slice(0, max));
      try {
        const { done, value } = open.next();
        if (!done) return null;
        open = null;
        return value;
      } catch (error) {
        open = null;
        throw error;
      }
    },
    changedByOthers: () => readVersion() !== seen,
    markSeen() {
      seen = readVersion();
    },
  };
}

/**
 * Reads and writes the ledger with SQLite's own statements, synchronously on the one connection: nothing can happen between
 * reading a row and writing it back.
 */

type Value = string | bigint | number | null;

const places = (count: number) => Array.from({ length: count }, () => '?').join(', ');

const openedColumns = `id, account_id, key_id, instance_id, created, day, purpose, conversation_id, end_user, metadata, byok,
  lease_until, hold`;
const closedColumns = `status, error_code, ended, charge, upstream_cost, estimated, provider, model, prompt_tokens,
  completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, audio_tokens, cache_write_1h_tokens, web_searches,
  image_tokens, cost_up_to, byok_fee_bps, first_token_ms, total_ms, price, routing`;
/** In the order of `closedColumns`, which equals that of `closedRow`. */
const closedValues = (closed: ClosedRequest): Value[] => Object.values(closedRow(closed));

const statements = {
  account: `select id, plan, balance, held, used, day, day_requests, day_used, month, month_used, day_limit, month_limit,
    unlimited_key, model_limits from accounts where id = ?`,
  saveAccount: `update accounts set balance = ?, held = ?, used = ?, day = ?, day_requests = ?, day_used = ?, month = ?,
    month_used = ? where id = ?`,
  saveModelLimits: 'update accounts set model_limits = ? where id = ?',
  key: 'select id, parent_id, spend_limit, spent, held from api_keys where id = ?',
  saveKey: 'update api_keys set held = ?, spent = ? where id = ?',
  request: `select id, account_id, key_id, day, provider, model, byok, hold, lease_until, status, charge from requests
    where id = ?`,
  highestRequest: "select coalesce(max(id), '') as id from requests",
  openRequest: `insert into requests (${openedColumns}, provider, model, status) values (${places(15)}, 'running')`,
  // For a request that was opened and closed since the last flush: one insert instead of two writes.
  addRequest: `insert into requests (${openedColumns}, ${closedColumns}) values (${places(13 + 23)})`,
  raiseRequest: "update requests set hold = hold + ? where id = ? and status = 'running'",
  moveRequest: "update requests set provider = ?, model = ? where id = ? and status = 'running'",
  renewRequest: "update requests set lease_until = ? where id = ? and status = 'running'",
  // The condition on the hold proves that nobody else has changed the row since it was read.
  closeRequest: `update requests set hold = 0, (${closedColumns}) = (${places(23)})
    where id = ? and status = 'running' and hold = ?`,
  addEntry: `insert into ledger_entries (id, account_id, type, amount, balance_after, created, description, request_id,
      provider, model, estimated)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  addUsage: `insert into usage_daily (account_id, day, provider, model, key_id, status, byok, requests, prompt_tokens,
      completion_tokens, cached_tokens, reasoning_tokens, charge, upstream_cost)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (account_id, day, provider, model, key_id, status, byok) do update set
      requests = requests + excluded.requests, prompt_tokens = prompt_tokens + excluded.prompt_tokens,
      completion_tokens = completion_tokens + excluded.completion_tokens,
      cached_tokens = cached_tokens + excluded.cached_tokens,
      reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens, charge = charge + excluded.charge,
      upstream_cost = case when upstream_cost > ${maxNano} - excluded.upstream_cost then ${maxNano}
        else upstream_cost + excluded.upstream_cost end`,
} as const;

interface SqliteSnapshot extends LedgerSnapshot {
  /** Returns the highest id of a request, or an empty string when there is none. */
  highestRequest(): string;
  /**
   * Writes the changes of a batch, one row per iteration. Throws when the stored rows aren't as they were when the events were
   * decided; nothing may be committed then.
   */
  write(changes: LedgerChanges): Iterable<void>;
}

const snapshots = new WeakMap<LedgerConnection, SqliteSnapshot>();

/** Returns the ledger on SQLite's one connection. Its statements are prepared once. */
export function snapshotOn(connection: LedgerConnection): SqliteSnapshot {
  const snapshot = snapshots.get(connection) ?? prepareAll(connection);
  snapshots.set(connection, snapshot);
  return snapshot;
}

function prepareAll({ prepare }: LedgerConnection): SqliteSnapshot {
  const names = Object.keys(statements) as (keyof typeof statements)[];
  const all = Object.fromEntries(names.map((name) => [name, prepare(statements[name])])) as Record<
    keyof typeof statements,
    ReturnType<LedgerConnection['prepare']>
  >;
  const read = <Row>(name: 'account' | 'key' | 'request', id: string) => all[name].all([id])[0] as Row | undefined;
  const save = (name: keyof typeof statements, values: readonly Value[]) => {
    const { changes } = all[name].run(values);
    if (Number(changes) !== 1) throw new Error(`${name} changed ${changes} rows instead of one`);
  };
  return {
    account: (id) => read<AccountState>('account', id),
    key: (id) => read<KeyState>('key', id),
    request: (id) => read<RequestState>('request', id),
    highestRequest: () => (all.highestRequest.all([])[0] as { id: string }).id,
    *write(changes) {
      const closed = new Map(changes.closed.map((closing) => [closing.settlement.requestId, closing]));
      const inserted = new Set<string>();
      for (const row of changes.opened) {
        const end = closed.get(row.id);
        if (end) inserted.add(row.id);
        if (end) yield save('addRequest', openedValues(row, 0n).concat(closedValues(end)));
        else yield save('openRequest', openedValues(row, row.hold).concat(row.provider, row.model));
      }
      for (const { id, by, provider, model } of changes.raised) {
        if (inserted.has(id)) continue;
        yield save('raiseRequest', [by, id]);
        if (provider !== undefined && model !== undefined) yield save('moveRequest', [provider, model, id]);
      }
      for (const { id, lease_until } of changes.renewed) yield void all.renewRequest.run([lease_until, id]);
      for (const [id, end] of closed) {
        if (inserted.has(id)) continue;
        yield save('closeRequest', closedValues(end).concat(id, end.hold));
      }
      for (const entry of changes.entries) yield save('addEntry', entryValues(entry));
      for (const account of changes.accounts) {
        const { id, balance, held, used, day, day_requests, day_used, month, month_used, model_limits } = account;
        yield save('saveAccount', [balance, held, used, day, day_requests, day_used, month, month_used, id]);
        if (model_limits !== null) yield save('saveModelLimits', [model_limits, id]);
      }
      for (const { id, held, spent } of changes.keys) yield save('saveKey', [held, spent, id]);
      for (const row of changes.usage) {
        yield save('addUsage', [
          ...[row.account_id, row.day, row.provider, row.model, row.key_id, row.status, row.byok, row.requests],
          ...[row.prompt_tokens, row.completion_tokens, row.cached_tokens, row.reasoning_tokens],
          ...[row.charge, capped(maxNano, row.upstream_cost)],
        ]);
      }
    },
  };
}

const capped = (max: bigint, amount: bigint): bigint => (amount > max ? max : amount);

// Written out as literals: building these lists from other lists would create each of them twice.
const openedValues = (row: OpenedRequest, hold: bigint): Value[] => [
  row.id,
  row.account_id,
  row.key_id,
  row.instance_id,
  row.created,
  row.day,
  row.purpose,
  row.conversation_id,
  row.end_user,
  row.metadata,
  row.byok,
  row.lease_until,
  hold,
];
// biome-ignore format: columns in their order
const entryValues = (entry: ChargeEntry): Value[] => [
  entry.id, entry.account_id, entry.type, entry.amount, entry.balance_after, entry.created, entry.description,
  entry.request_id, entry.provider, entry.model, entry.estimated,
];

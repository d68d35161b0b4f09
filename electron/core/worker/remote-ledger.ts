import { randomUUID } from 'node:crypto';
import Sqlite, { type Database } from 'better-sqlite3';
import type { RequestRecord } from '#shared/wire/request-record.ts';

/** What was read so far of an account at a remote gateway. */
export interface RemoteLedgerPart {
  /** Distinguishes this reading from that of an earlier thread, whose data is gone. */
  readonly id: string;
  readonly requests: number;
  /** When the oldest of these requests began, in milliseconds since the epoch. */
  readonly since: number | null;
}

export interface RemoteLine {
  readonly id: string;
  /** Null if the line isn't for a request. */
  readonly requestId: string | null;
  readonly usd: string;
}

/**
 * A page from the gateway. `fresh` is true while it isn't known whether the page is contiguous with what was stored
 * before.
 */
export type RemotePage = { readonly id: string; readonly fresh: boolean } & (
  | { readonly records: readonly RequestRecord[] }
  | { readonly lines: readonly RemoteLine[] }
);

/** By account. Each database is a temporary file without a name, which disappears with this thread. */
const kept = new Map<string, { readonly id: string; readonly db: Database }>();

export function openRemoteLedger(source: string): RemoteLedgerPart {
  const known = kept.get(source) ?? { id: randomUUID(), db: emptyLedger() };
  kept.set(source, known);
  const [requests, since] = known.db
    .prepare(`select count(*), min(created) from records where ${borders}`)
    .raw()
    .get() as [number, number | null];
  return { id: known.id, requests, since: since === null ? null : since * 1000 };
}

/** Selects the newest contiguous block. While new pages are being read, that is only these. */
const borders = 'fresh = coalesce((select max(fresh) from records), 0)';

function emptyLedger(): Database {
  const db = new Sqlite('');
  db.exec(`
    create table records (id text primary key, created integer not null, running integer not null, fresh integer not null,
      record text not null) without rowid;
    create index newest_first on records (created desc, id desc);
    create table lines (id text primary key, request_id text, usd text not null, fresh integer not null) without rowid;
    create index of_request on lines (request_id)`);
  return db;
}

function getLedger(id: string): Database {
  for (const ledger of kept.values()) if (ledger.id === id) return ledger.db;
  throw new Error('what was read of a gateway elsewhere is gone');
}

/**
 * Stores a page. Returns true if the page and everything older was known and can't change any more, so reading can
 * stop.
 */
export function storeRemotePage(page: RemotePage): boolean {
  const db = getLedger(page.id);
  return db.transaction(() => ('records' in page ? keepRecords(db, page) : keepLines(db, page)))();
}

function keepRecords(db: Database, { records, fresh }: Extract<RemotePage, { records: unknown }>): boolean {
  const ended = db.prepare('select 1 from records where id = ? and running = 0 and fresh = 0');
  const running = db.prepare('select 1 from records where running = 1 and created <= ? limit 1');
  const write = db.prepare('insert or replace into records values (?, ?, ?, ?, ?)');
  const oldest = records.reduce((least, { created }) => Math.min(least, created), Number.POSITIVE_INFINITY);
  const known =
    records.every(({ id }) => ended.get(id)) && !running.get(oldest === Number.POSITIVE_INFINITY ? 0 : oldest);
  if (!known)
    for (const record of records) {
      const { id, created, status } = record;
      const isFresh = fresh && !ended.get(id) ? 1 : 0;
      write.run(id, created, status === 'running' ? 1 : 0, isFresh, JSON.stringify(withoutRest(record)));
    }
  return known;
}

function keepLines(db: Database, { lines, fresh }: Extract<RemotePage, { lines: unknown }>): boolean {
  const there = db.prepare('select 1 from lines where id = ? and fresh = 0');
  const write = db.prepare('insert or ignore into lines values (?, ?, ?, ?)');
  const known = lines.every(({ id }) => there.get(id));
  for (const { id, requestId, usd } of lines) write.run(id, requestId, usd, fresh ? 1 : 0);
  return known;
}

/**
 * Merges the fresh pages with what was stored before (`joined`), or deletes fresh pages that an interrupted reading
 * left.
 */
export function settleRemoteLedger({ id, joined }: { readonly id: string; readonly joined: boolean }): void {
  for (const table of ['records', 'lines'])
    getLedger(id).exec(
      joined ? `update ${table} set fresh = 0 where fresh = 1` : `delete from ${table} where fresh = 1`,
    );
}

/** Drops fields that nobody needs here, such as the routing. */
function withoutRest(record: RequestRecord): RequestRecord {
  const { client_request_id } = record.metadata;
  return { ...record, routing: null, metadata: client_request_id === undefined ? {} : { client_request_id } };
}

/** Yields the requests, newest first, each with the amount of its ledger line in USD. */
export function* getRemoteRecords(id: string): Generator<readonly [RequestRecord, usd: string | null]> {
  const rows = getLedger(id)
    .prepare(
      `select record, (select usd from lines where request_id = records.id limit 1) from records where ${borders}
      order by created desc, id desc`,
    )
    .raw()
    .iterate() as IterableIterator<[string, string | null]>;
  for (const [record, usd] of rows) yield [JSON.parse(record) as RequestRecord, usd];
}

import { randomUUID } from 'node:crypto';
import Sqlite, { type Database } from 'better-sqlite3';
import type { RequestRecord } from '#shared/wire/request-record.ts';

/** What a gateway elsewhere told of an account, as far as it was read. */
export interface ToldElsewhere {
  /** Tells it from what an earlier thread had read, which is gone. */
  readonly id: string;
  readonly requests: number;
  /** When the oldest of them began, in milliseconds since the epoch. */
  readonly since: number | null;
}

export interface ToldLine {
  readonly id: string;
  /** Null: no line of a request. */
  readonly requestId: string | null;
  readonly usd: string;
}

/** A page as it was told. `fresh`: it may not border on what was kept before. */
export type ToldPage = { readonly id: string; readonly fresh: boolean } & (
  | { readonly records: readonly RequestRecord[] }
  | { readonly lines: readonly ToldLine[] }
);

/** By account. SQLite has each in a file of its own that has no name, and is gone with this thread. */
const kept = new Map<string, { readonly id: string; readonly db: Database }>();

export function openElsewhere(source: string): ToldElsewhere {
  const known = kept.get(source) ?? { id: randomUUID(), db: emptyLedger() };
  kept.set(source, known);
  const [requests, since] = known.db
    .prepare(`select count(*), min(created) from records where ${borders}`)
    .raw()
    .get() as [number, number | null];
  return { id: known.id, requests, since: since === null ? null : since * 1000 };
}

/** The newest block without a gap: while something new is read, that alone. */
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
  for (const one of kept.values()) if (one.id === id) return one.db;
  throw new Error('what was read of a gateway elsewhere is gone');
}

/**
 * Keeps a page. Returns whether all of it, and of what is older, was known and can change no more: nothing beyond it is new.
 */
export function keepElsewhere(page: ToldPage): boolean {
  const db = getLedger(page.id);
  return db.transaction(() => ('records' in page ? keepRecords(db, page) : keepLines(db, page)))();
}

function keepRecords(db: Database, { records, fresh }: Extract<ToldPage, { records: unknown }>): boolean {
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

function keepLines(db: Database, { lines, fresh }: Extract<ToldPage, { lines: unknown }>): boolean {
  const there = db.prepare('select 1 from lines where id = ? and fresh = 0');
  const write = db.prepare('insert or ignore into lines values (?, ?, ?, ?)');
  const known = lines.every(({ id }) => there.get(id));
  for (const { id, requestId, usd } of lines) write.run(id, requestId, usd, fresh ? 1 : 0);
  return known;
}

/** What is fresh borders on what was kept before, or a reading that was broken off has left it and it does not. */
export function settleElsewhere({ id, joined }: { readonly id: string; readonly joined: boolean }): void {
  for (const table of ['records', 'lines'])
    getLedger(id).exec(
      joined ? `update ${table} set fresh = 0 where fresh = 1` : `delete from ${table} where fresh = 1`,
    );
}

/** Nothing is asked of how each was routed. */
function withoutRest(record: RequestRecord): RequestRecord {
  const { client_request_id } = record.metadata;
  return { ...record, routing: null, metadata: client_request_id === undefined ? {} : { client_request_id } };
}

/** The requests, newest first, each with what its line says, in USD. */
export function* recordsElsewhere(id: string): Generator<readonly [RequestRecord, usd: string | null]> {
  const rows = getLedger(id)
    .prepare(
      `select record, (select usd from lines where request_id = records.id limit 1) from records where ${borders}
      order by created desc, id desc`,
    )
    .raw()
    .iterate() as IterableIterator<[string, string | null]>;
  for (const [record, usd] of rows) yield [JSON.parse(record) as RequestRecord, usd];
}

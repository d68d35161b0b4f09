import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { maxNano, nanoUsd, picoUsd } from '#shared/money.ts';
import { noTokens } from '#shared/price.ts';
import { openOperator } from '../../cli/on-database.ts';
import { grantCredits, limitModels } from '../../operations/operator/operator-store.ts';
import { lastInLog, logPaths } from '../../storage/log-files.ts';
import { encodeFrame, scanFrames } from '../../storage/log-frames.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { readAsStored } from '../../storage/read-apart.ts';
import { takeServingLock } from '../../storage/serving-lock.ts';
import type { GatewaySqliteAdapter } from '../../storage/sqlite.ts';
import { createTransact } from '../../storage/transact.ts';
import { WriteAheadLogFault } from '../../storage/write-ahead-log-fault.ts';
import { checkLedger } from '../check-ledger.ts';
import { applyEvent } from '../decide-commands.ts';
import type { Settlement } from '../ledger.ts';
import { LedgerBatch } from '../ledger-batch.ts';
import { createLedger } from '../ledger-store.ts';
import { parseEvent } from './event-text.ts';
import { createLedgerFlush } from './flush.ts';

const long = Boolean(process.env.PORTICO_LONG);
const folder = mkdtempSync(join(tmpdir(), 'portico-journal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const start = Date.UTC(2026, 10, 20);
const account = { id: 'acct_1', name: 'A', email: null, plan: 'pro', status: 'active' as const, created: 0n };
const keyIds = ['key_1', 'key_2'] as const;

async function open(database = join(folder, `books-${files++}.db`)) {
  const gatewayDb = await openDatabase(database);
  const transact = createTransact(gatewayDb);
  const logged: Readonly<Record<string, unknown>>[] = [];
  const log = (entry: Readonly<Record<string, unknown>>) => void logged.push(entry);
  let time = start;
  const open = () => createLedger({ db: gatewayDb.db, now: () => time, instanceId: 'inst_a', log });
  let ledger: ReturnType<typeof open>;
  try {
    ledger = open();
  } catch (error) {
    await gatewayDb.db.destroy();
    throw error;
  }
  const pass = (ms: number) => {
    time += ms;
  };
  return { ...gatewayDb, database, transact, ledger, logged, pass };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function openWithAccount(): Promise<Opened> {
  const opened = await open();
  await opened.db
    .insertInto('accounts')
    .values({ ...account, balance: 0n, held: 0n, granted: 0n, used: 0n })
    .execute();
  for (const [index, id] of keyIds.entries()) {
    const parent_id = index === 0 ? null : keyIds[0];
    const key = {
      id,
      account_id: 'acct_1',
      digest: Buffer.from(id),
      prefix: 'p',
      scopes: '[]',
      created: 0n,
      parent_id,
    };
    await opened.db.insertInto('api_keys').values(key).execute();
  }
  await opened.transact((trx) => grantCredits(trx, { accountId: 'acct_1', amount: nanoUsd(5_000n) }, start));
  return opened;
}

const getHold = (requestId: string, keyId: string | null, amount: bigint, byok = false) => ({
  requestId,
  accountId: 'acct_1',
  keyId,
  amount: nanoUsd(amount),
  provider: 'p',
  model: 'm',
  byok,
  purpose: null,
  conversationId: 'chat "one"',
  user: 'Åsa\u2028',
  metadata: { a: 'ü' },
});

const price = {
  prompt: picoUsd(1_000n),
  completion: picoUsd(0n),
  request: picoUsd(0n),
  cacheRead: null,
  cacheWrite: null,
  tiers: [],
  source: 'test',
  asOf: '2026-11-01',
};

const getEnd = (requestId: string, charge: number, byokFeeBps = 0): Settlement => ({
  requestId,
  status: charge === 0 ? 'failed' : 'succeeded',
  errorCode: charge === 0 ? 'upstream_error' : null,
  charge: nanoUsd(BigInt(charge)),
  upstreamCost: nanoUsd(BigInt(charge)),
  estimated: false,
  provider: 'p',
  ...(byokFeeBps ? { byokFeeBps } : {}),
  model: 'm2',
  usage: { ...noTokens, promptTokens: charge },
  price,
  totalMs: 2,
  firstTokenMs: null,
  routing: '{"policy":"direct","reason":"r","selected":"m2","upstream_model":"m","attempts":[],"catalog_version":"v"}',
});

const model = fc.constantFrom('m', 'm2');
const slot = fc.integer({ min: 0, max: 9 });
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      slot,
      key: fc.constantFrom(null, ...keyIds),
      amount: fc.bigInt({ min: 0n, max: 900n }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('extend' as const), slot, amount: fc.bigInt(0n, 1_500n), model }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), model, limit: fc.bigInt(0n, 2_000n) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('settle' as const), slot, charge: fc.nat(700) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew' as const), slot }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('grant' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 86_400_000) }) },
);
type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;

async function act({ ledger, db, transact, pass }: Opened, ledgerCommand: Action): Promise<void> {
  if (ledgerCommand.do === 'pass') return pass(ledgerCommand.ms);
  if (ledgerCommand.do === 'read') return void (await db.selectFrom('requests').select('id').execute());
  if (ledgerCommand.do === 'grant') {
    await transact((trx) => grantCredits(trx, { accountId: 'acct_1', amount: nanoUsd(100n) }, start));
    return;
  }
  if (ledgerCommand.do === 'limit') {
    // Sometimes removes the limit.
    const limit = ledgerCommand.limit < 200n ? null : ledgerCommand.limit;
    return transact((trx) => limitModels(trx, 'acct_1', { [`p/${ledgerCommand.model}`]: limit }));
  }
  const id = `req_${ledgerCommand.slot}`;
  if (ledgerCommand.do === 'hold') await ledger.decide(getHold(id, ledgerCommand.key, ledgerCommand.amount));
  else if (ledgerCommand.do === 'extend')
    await ledger.extend(id, nanoUsd(ledgerCommand.amount), { provider: 'p', model: ledgerCommand.model });
  else if (ledgerCommand.do === 'renew') await ledger.renew(id);
  else await ledger.settle(getEnd(id, ledgerCommand.charge));
}

/** A refused command changes nothing, and these tests don't care why it was refused. */
const attempt = (opened: Opened, ledgerCommand: Action) => act(opened, ledgerCommand).catch(() => {});

/** Returns everything that the commands may change, in a form that can be compared. */
async function state({ db }: Pick<Opened, 'db'>) {
  const requests = await db.selectFrom('requests').selectAll().orderBy('id').execute();
  return {
    accounts: await db.selectFrom('accounts').selectAll().execute(),
    keys: await db.selectFrom('api_keys').select(['id', 'held', 'spent']).orderBy('id').execute(),
    requests: requests.map(
      ({ id, model, hold, status, charge, lease_until, day, price, routing, end_user, metadata }) => ({
        id,
        provider: 'p',
        model,
        hold,
        status,
        charge,
        lease_until,
        day,
        price,
        routing,
        end_user,
        metadata,
      }),
    ),
    entries: await db.selectFrom('ledger_entries').select(['id', 'amount', 'balance_after']).orderBy('seq').execute(),
  };
}

/** Copies the files as a killed process would leave them, with this part of the write-ahead log. */
function killed(database: string, keep: (bytes: Buffer) => Buffer): string {
  const copy = join(folder, `killed-${files++}`);
  mkdirSync(copy);
  const target = join(copy, 'ledger.db');
  for (const end of ['', '-wal']) if (existsSync(database + end)) copyFileSync(database + end, target + end);
  for (const [index, path] of logPaths(database).entries()) {
    if (existsSync(path)) writeFileSync(logPaths(target)[index] ?? '', keep(readFileSync(path)));
  }
  return target;
}

const headBytes = 28;

/** Returns the part of a file that contains frames, without the preallocated space behind it. */
const written = (bytes: Buffer): Buffer =>
  bytes.subarray(
    0,
    scanFrames(bytes).frames.reduce((sum, { text }) => sum + headBytes + Buffer.byteLength(text()), 0),
  );

/**
 * What may follow the last frame: nothing, empty space, or old frames that were partly overwritten and that the database already
 * has.
 */
const behind = {
  nothing: () => Buffer.alloc(0),
  room: () => Buffer.alloc(5_000),
  earlier(bytes: Buffer, applied: number) {
    const [first] = scanFrames(bytes).frames;
    if (!first) return Buffer.alloc(0);
    const { databaseId } = first;
    const frames = [applied - 1, applied].map((number) => encodeFrame(databaseId, Math.max(0, number), 0, 'no step'));
    return Buffer.concat([frames[0]?.subarray(9) ?? Buffer.alloc(0), ...frames]);
  },
};

const getFrames = (database: string) => logPaths(database).flatMap((path) => scanFrames(readFileSync(path)).frames);

const getConnection = ({ db }: Pick<Opened, 'db'>) => (db.getExecutor().adapter as GatewaySqliteAdapter).connection;

const numberApplied = async (opened: Pick<Opened, 'db'>): Promise<number> => {
  const [row] = getConnection(opened).prepare('select applied from step_journal').all([]) as { applied: bigint }[];
  return Number(row?.applied);
};

/** Applies the same commands one by one with the pure rules to what was stored before them. */
async function folded(database: string) {
  const gatewayDb = await openDatabase(database);
  const applied = await numberApplied(gatewayDb);
  const before = await state(gatewayDb);
  await gatewayDb.db.destroy();
  const rows = <Row extends { id: string }>(all: readonly Row[]) => new Map(all.map((row) => [row.id, row]));
  const [accounts, keys, requests] = [rows(before.accounts), rows(before.keys), rows(before.requests)];
  const parents: Record<string, string | null> = { key_1: null, key_2: 'key_1' };
  const draft = new LedgerBatch({
    account: (id) => accounts.get(id),
    key: (id) => {
      const key = keys.get(id);
      return key && { ...key, parent_id: parents[id] ?? null, spend_limit: null };
    },
    request: (id) => {
      const row = requests.get(id) as (typeof before.requests)[number] & { account_id?: string };
      return row && ({ ...row, account_id: 'acct_1', key_id: getKey.get(id) ?? null, byok: 0n } as never);
    },
  });
  let next = applied + 1;
  for (const { number, text } of getFrames(database)) {
    if (number !== next) continue;
    next += 1;
    applyEvent(parseEvent(text()), draft);
  }
  for (const row of draft.accounts) accounts.set(row.id, { ...(accounts.get(row.id) as object), ...row } as never);
  for (const { id, held, spent } of draft.keys) keys.set(id, { id, held, spent });
  return {
    accounts: [...accounts.values()],
    keys: [...keys.values()],
    holds: [...new Set([...requests.keys(), ...draft.requests.keys()])].sort().map((id) => {
      const { model, hold, status, charge } = draft.requests.get(id) ?? (requests.get(id) as never);
      return { id, model, hold, status, charge };
    }),
    entries: [
      ...before.entries,
      ...draft.entries.map(({ id, amount, balance_after }) => ({ id, amount, balance_after })),
    ],
  };
}

/** The key of each request, which `state` leaves out. */
const getKey = new Map<string, string | null>();

test('a kill at any byte of the log leaves what the pure rules make of the complete events', async () => {
  const property = fc.asyncProperty(
    fc.array(action, { minLength: 5, maxLength: 40 }),
    fc.nat(1_000_000),
    fc.constantFrom(...Object.values(behind)),
    async (program, cut, rest) => {
      const opened = await openWithAccount();
      for (const ledgerCommand of program) await attempt(opened, ledgerCommand);
      // A process killed a moment later would not have flushed more, so what is stored now is what it leaves.
      const applied = await numberApplied(opened);
      const copy = killed(opened.database, (bytes) => {
        const complete = written(bytes);
        return Buffer.concat([complete.subarray(0, cut % (complete.length + 1)), rest(bytes, applied)]);
      });
      const lacking = getFrames(copy).map(({ number }) => number);
      expect(Math.max(applied, lastInLog(copy) ?? 0)).toBe(Math.max(applied, ...lacking));
      getKey.clear();
      for (const { text } of getFrames(opened.database)) {
        const ledgerCommand = parseEvent(text());
        if (ledgerCommand.do === 'open') getKey.set(ledgerCommand.row.id, ledgerCommand.row.key_id);
      }
      await opened.db.destroy();
      const expected = await folded(killed(copy, (bytes) => bytes));
      const again = await open(copy);
      const { accounts, keys, requests, entries } = await state(again);
      const holds = requests.map(({ id, model, hold, status, charge }) => ({ id, model, hold, status, charge }));
      expect({ accounts, keys, holds, entries }).toEqual(expected);
      const report = await checkLedger(again);
      await again.db.destroy();
      expect(report.checks.flatMap(({ problems }) => problems)).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: long ? 2_000 : 25 });
}, 3_600_000);

test('replayed rows, texts and leases equal those of a server that went on', async () => {
  const opened = await openWithAccount();
  await opened.ledger.decide(getHold('req_1', 'key_2', 500n));
  await opened.ledger.extend('req_1', nanoUsd(700n));
  await opened.ledger.settle(getEnd('req_1', 300));
  await opened.ledger.decide(getHold('req_2', null, 2n ** 10n));
  opened.pass(5_000);
  await opened.ledger.renew('req_2');
  const copy = killed(opened.database, (bytes) => bytes);
  const expected = await state(opened);
  await opened.db.destroy();
  const again = await open(copy);
  expect(await state(again)).toEqual(expected);
  expect(again.logged).toEqual([expect.objectContaining({ event: 'write_ahead_log_replayed', commands: 5 })]);
  await again.db.destroy();
  expect(logPaths(copy).filter((path) => existsSync(path))).toEqual([]);
});

test('a log that is damaged where it had been synced is refused, and a torn end is cut', async () => {
  const opened = await openWithAccount();
  for (let index = 0; index < 4; index += 1) {
    await opened.ledger.decide(getHold(`req_${index}`, null, 10n));
    await opened.ledger.settle(getEnd(`req_${index}`, 3));
  }
  await opened.ledger.decide(getHold('req_last', null, 10n));
  const damaged = (index: (bytes: Buffer) => number) =>
    killed(opened.database, (bytes) => {
      const copy = Buffer.from(bytes);
      const place = index(written(bytes));
      if (copy.length > 0) copy[place] = (copy[place] ?? 0) ^ 0xff;
      return copy;
    });
  const middle = damaged((bytes) => bytes.length >> 1);
  const end = damaged((bytes) => bytes.length - 1);
  const foreign = killed(opened.database, (bytes) => bytes);
  const other = await openWithAccount();
  const wrong = killed(other.database, () => Buffer.alloc(0));
  for (const [index, path] of logPaths(foreign).entries()) copyFileSync(path, logPaths(wrong)[index] ?? '');
  await other.db.destroy();
  await opened.db.destroy();
  await expect(open(middle)).rejects.toThrow(/journal of the database .* step \d+ is damaged or missing/);
  await expect(open(wrong)).rejects.toThrow(/belongs to another database/);
  const cut = await open(end);
  onTestFinished(() => cut.db.destroy());
  expect(cut.logged).toContainEqual(expect.objectContaining({ event: 'write_ahead_log_truncated', level: 'warn' }));
  expect((await state(cut)).requests.map(({ id }) => id)).toEqual(['req_0', 'req_1', 'req_2', 'req_3']);
});

test('full log files are overwritten in turn, and events left in them from before are ignored', async () => {
  const opened = await openWithAccount();
  const long = 'x'.repeat(200_000);
  const sizes = () => logPaths(opened.database).map((path) => statSync(path).size);
  const maxBytes = 34 * 1024 * 1024;
  let requestCount = 0;
  const ask = async (text: string) => {
    const id = `req_${requestCount++}`;
    await opened.ledger.decide({ ...getHold(id, null, 1n), metadata: { text } });
    await opened.ledger.settle(getEnd(id, 0));
  };
  const numbers = () => logPaths(opened.database).map((path) => scanFrames(readFileSync(path)).frames[0]?.number ?? 0);
  // Repeat until the first file, which was left, begins with a later event than the second.
  do {
    for (let more = 0; more < 20; more += 1) await ask(long);
    expect(requestCount).toBeLessThan(1_000);
  } while ((numbers()[0] ?? 0) <= (numbers()[1] ?? 0));
  expect(Math.max(...sizes())).toBeLessThan(maxBytes);
  for (let index = 0; index < 3; index += 1) await ask('short');
  // Repeat until the last event is only in the write-ahead log: on a slow disk it may be in the database before it's
  // acknowledged.
  while ((await numberApplied(opened)) >= (lastInLog(opened.database) ?? 0)) await ask('short');
  const complete = killed(opened.database, (bytes) => bytes);
  const last = getFrames(opened.database).reduce((highest, { number }) => Math.max(highest, number), 0);
  const torn = killed(opened.database, (bytes) => {
    const copy = Buffer.from(bytes);
    for (const { number, text } of scanFrames(bytes).frames) if (number === last) copy[copy.indexOf(text())] = 0;
    return copy;
  });
  expect([complete, torn].map(lastInLog)).toEqual([last, last - 1]);
  const expected = await state(opened);
  await opened.db.destroy();
  const again = await open(complete);
  expect(await state(again)).toEqual(expected);
  expect(again.logged.map(({ event }) => event)).not.toContain('write_ahead_log_truncated');
  await again.db.destroy();
  const cut = await open(torn);
  expect(cut.logged).toContainEqual(expect.objectContaining({ event: 'write_ahead_log_truncated', level: 'warn' }));
  expect((await state(cut)).requests.find(({ id }) => id === `req_${requestCount - 1}`)).toMatchObject({
    status: 'running',
  });
  await cut.db.destroy();
});

/** Opens a ledger with functions that report the state of SQLite's own log and make it longer. */
async function openWithLog() {
  const opened = await openWithAccount();
  const statement = getConnection(opened).prepare('pragma wal_checkpoint(NOOP)');
  const log = () => {
    const [pages] = statement.all([]) as { log: bigint; checkpointed: bigint }[];
    return { pages: Number(pages?.log), waiting: Number((pages?.log ?? 0n) - (pages?.checkpointed ?? 0n)) };
  };
  let requestCount = 0;
  const ask = async () => {
    await opened.ledger.decide(getHold(`req_${requestCount}`, null, 1n));
    await opened.ledger.settle(getEnd(`req_${requestCount++}`, 0));
  };
  /** Reading flushes all events at once. */
  const read = () => opened.db.selectFrom('accounts').select('id').execute();
  return { ...opened, log, ask, read };
}

test('a SQLite log that few events have made long is copied at once by another thread, and starts over', async () => {
  const { db, log, ask, read } = await openWithLog();
  onTestFinished(() => db.destroy());
  while (log().waiting <= 8_000) {
    await ask();
    await read();
  }
  await ask();
  await expect.poll(() => log().waiting).toBeLessThan(100);
  await ask();
  await read();
  expect(log().pages).toBeLessThan(1_000);
});

test('a checkpoint that a reader blocks is not retried with each event', async () => {
  const opened = await openWithLog();
  const { log, ask, read } = opened;
  const postMessage = vi.spyOn(Worker.prototype, 'postMessage');
  const reader = new Sqlite(opened.database, { readonly: true });
  onTestFinished(async () => {
    postMessage.mockRestore();
    reader.close();
    await opened.db.destroy();
  });
  reader.exec('begin');
  reader.prepare('select count(*) from accounts').get();
  const begun = () => postMessage.mock.calls.filter(([message]) => message === 'checkpoint').length;
  while (log().pages <= 9_000) {
    await ask();
    await read();
  }
  // Wait for the scheduled flush instead of reading: each flush is followed by a check of SQLite's log.
  for (let flushes = 0; flushes < 8; flushes += 1) {
    const before = await numberApplied(opened);
    await ask();
    await expect.poll(() => numberApplied(opened), { interval: 5 }).toBeGreaterThan(before);
  }
  expect(begun()).toBe(1);
});

test('a command gives up after ten seconds when the server does not flush its events', async () => {
  const opened = await openWithAccount();
  await opened.ledger.decide(getHold('req_1', null, 10n));
  const copy = killed(opened.database, (bytes) => bytes);
  await opened.db.destroy();
  const unlock = takeServingLock(copy);
  let passed = 0;
  // Each reading of the clock is four seconds later.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (passed += 4_000));
  onTestFinished(() => {
    clock.mockRestore();
    unlock();
  });
  const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };
  const command = openOperator({ database: copy, env, now: Date.now, mayCreate: false });
  await expect(command).rejects.toThrow(/has not written its last requests into it within 10 seconds/);
});

test('a grant by another process counts at once when a hold would be refused, and balances stay consistent across both', async () => {
  const opened = await openWithAccount();
  onTestFinished(() => opened.db.destroy());
  const outside = await openDatabase(opened.database);
  await opened.ledger.decide(getHold('req_1', 'key_1', 4_000n));
  await expect(async () => opened.ledger.decide(getHold('req_2', 'key_1', 4_000n))).rejects.toThrow(/Insufficient/);
  const settled = opened.ledger.settle(getEnd('req_1', 600));
  const grant = { accountId: 'acct_1', amount: nanoUsd(3_000n) };
  await createTransact(outside)((trx) => grantCredits(trx, grant, start));
  await opened.ledger.decide(getHold('req_2', 'key_1', 7_000n));
  await settled;
  await outside.db.destroy();
  expect(await state(opened)).toMatchObject({ accounts: [{ balance: 7_400n, held: 7_000n, granted: 8_000n }] });
  expect((await checkLedger(opened)).ok).toBe(true);
});

test('an amount that no column can store is refused before anything is written, and the next command works', async () => {
  const opened = await openWithAccount();
  onTestFinished(() => opened.db.destroy());
  const { db, ledger } = opened;
  const refused = (work: () => unknown) =>
    expect(async () => work()).rejects.toThrow(/is more than the books can keep/);
  await db.updateTable('accounts').set({ plan: 'local' }).execute();
  await refused(() => ledger.decide(getHold('req_1', null, maxNano + 1n)));
  await db
    .updateTable('api_keys')
    .set({ spent: maxNano - 5n })
    .where('id', '=', 'key_1')
    .execute();
  await refused(() => ledger.decide(getHold('req_2', 'key_1', 6n)));
  await ledger.decide(getHold('req_3', null, 6n));
  await refused(() => ledger.settle({ ...getEnd('req_3', 4), upstreamCost: nanoUsd(maxNano + 1n) }));
  expect(await ledger.settle(getEnd('req_3', 4))).toEqual({ charged: 4n });
  expect(await state(opened)).toMatchObject({
    accounts: [{ balance: 4_996n, held: 0n }],
    requests: [{ id: 'req_3', status: 'succeeded' }],
  });
});

test('while too many events wait for the database nothing new begins, running requests go on, and then requests begin again', async () => {
  const opened = await openWithAccount();
  onTestFinished(() => opened.db.destroy());
  const { db, ledger } = opened;
  await ledger.decide(getHold('req_1', null, 6n));
  const renewed: Promise<void>[] = [];
  while (renewed.length < 50_000) renewed.push(ledger.renew('req_1'));
  await expect(async () => ledger.decide(getHold('req_2', null, 6n))).rejects.toThrow(WriteAheadLogFault);
  expect(await ledger.settle(getEnd('req_1', 4))).toEqual({ charged: 4n });
  await Promise.all(renewed);
  await db.selectFrom('requests').select('id').execute();
  await ledger.decide(getHold('req_2', null, 6n));
  expect(await state(opened)).toMatchObject({ accounts: [{ balance: 4_996n, held: 6n }] });
});

/** Runs the commands of this many requests, which all end before the event loop goes on. Resolves when they are durable. */
async function endMany({ ledger }: Opened, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `req_${String(index).padStart(4, '0')}`);
  for (const id of ids) await ledger.decide(getHold(id, 'key_1', 1n));
  await Promise.all(ids.map((id) => ledger.settle(getEnd(id, 1))));
}

/** Resolves in the middle of a flush's transaction. */
async function midway(opened: Opened): Promise<void> {
  while (!getConnection(opened).inTransaction) await nextTurn();
}

/** Opens a ledger in the middle of flushing the events of 400 requests. */
async function openMidway() {
  const opened = await openWithAccount();
  onTestFinished(() => opened.db.destroy());
  const ended = endMany(opened, 400);
  await midway(opened);
  return { ...opened, ended, connection: getConnection(opened) };
}

test('during a long flush the event loop runs and a hold does not wait', async () => {
  const { connection, ended, ...opened } = await openMidway();
  await opened.ledger.decide(getHold('req_new', 'key_1', 7n));
  expect(connection.inTransaction).toBe(true);
  let turns = 0;
  for (; connection.inTransaction; turns++) await nextTurn();
  await ended;
  expect(turns).toBeGreaterThan(10);
  expect(await state(opened)).toMatchObject({ accounts: [{ balance: 4_600n, held: 7n }] });
  expect((await checkLedger(opened)).ok).toBe(true);
});

test('a reader during a flush sees all events, and a caller that needs none of them does not wait', async () => {
  const { connection, ended, ...opened } = await openMidway();
  const query = sql<{ revoked_at: bigint | null }>`select revoked_at from api_keys where id = 'key_1'`;
  expect(await readAsStored(opened.db, query)).toEqual([{ revoked_at: null }]);
  expect(connection).toMatchObject({ inTransaction: true, isBusy: false });
  const { held, spent } = await opened.db
    .selectFrom('api_keys')
    .select(['held', 'spent'])
    .where('id', '=', 'key_1')
    .executeTakeFirstOrThrow();
  expect({ held, spent, inTransaction: connection.inTransaction }).toEqual({
    held: 0n,
    spent: 400n,
    inTransaction: false,
  });
  await ended;
});

test('events that arrive after a read has flushed the rest are flushed in portions too', async () => {
  const { connection, ended, ...opened } = await openMidway();
  await opened.db.selectFrom('accounts').select('id').execute();
  for (let index = 0; index < 200; index += 1) await opened.ledger.decide(getHold(`req_new_${index}`, null, 1n));
  await expect.poll(() => connection.inTransaction, { interval: 1 }).toBe(true);
  await expect.poll(() => connection.inTransaction, { interval: 1 }).toBe(false);
  await ended;
  expect(await state(opened)).toMatchObject({ accounts: [{ balance: 4_600n, held: 200n }] });
});

test('a transaction that begins during a flush runs after it', async () => {
  const { ended, ...opened } = await openMidway();
  await opened.transact(async (trx) => {
    await grantCredits(trx, { accountId: 'acct_1', amount: nanoUsd(100n) }, start);
    // The read inside somebody's transaction must not bypass it.
    expect(await readAsStored(trx, sql<{ balance: bigint }>`select balance from accounts`)).toEqual([
      { balance: 4_700n },
    ]);
  });
  await ended;
  expect((await checkLedger(opened)).ok).toBe(true);
});

test('a flush that fails midway is rolled back, logged once and retried', async () => {
  const opened = await openWithAccount();
  onTestFinished(() => opened.db.destroy());
  const connection = getConnection(opened);
  connection
    .prepare(
      `create temp trigger fails before insert on main.ledger_entries when new.request_id = 'req_0390'
       begin select raise(abort, 'not now'); end`,
    )
    .run([]);
  await endMany(opened, 400);
  const failed = [{ event: 'ledger_flush_failed', waiting: 800 }];
  await vi.waitFor(() => expect(opened.logged).toMatchObject(failed), 5_000);
  await midway(opened);
  while (connection.inTransaction) await nextTurn();
  expect(opened.logged).toMatchObject(failed);
  expect(connection.prepare('select count(*) as requests from requests').all([])).toEqual([{ requests: 0n }]);
  connection.prepare('drop trigger temp.fails').run([]);
  await vi.waitFor(() => expect(opened.logged).toHaveLength(2), 5_000);
  expect(opened.logged[1]).toMatchObject({ event: 'ledger_flush_recovered' });
  expect(await state(opened)).toMatchObject({ accounts: [{ balance: 4_600n, held: 0n }] });
  expect((await checkLedger(opened)).ok).toBe(true);
});

test('many waiting events are flushed in few portions', async () => {
  const opened = await openWithAccount();
  onTestFinished(() => opened.db.destroy());
  const before = killed(opened.database, () => Buffer.alloc(0));
  await endMany(opened, 2_000);
  const { db } = await openDatabase(before);
  onTestFinished(() => db.destroy());
  const flush = createLedgerFlush(getConnection({ db }));
  for (const { number, text } of getFrames(opened.database)) flush.add(parseEvent(text()), number);
  expect(flush.waiting).toBe(4_000);
  let portions = 1;
  while (flush.proceed(4_000) === null) portions += 1;
  expect(flush.waiting).toBe(0);
  expect(portions).toBeLessThanOrEqual(20);
  expect(portions).toBeGreaterThan(10);
});

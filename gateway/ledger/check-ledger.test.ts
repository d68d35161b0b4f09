import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nanoUsd, parseUsd, picoUsd } from '#shared/money.ts';
import { noTokens } from '#shared/price.ts';
import { holdDurably } from '../../tests/gateway-doubles/hold-durably.ts';
import { onPostgres, sharedDatabase, testDatabase, testPepper } from '../../tests/gateway-doubles/test-database.ts';
import { allScopes } from '../access/auth/scopes.ts';
import { openGateway } from '../open-gateway.ts';
import { openDatabase } from '../storage/open-database.ts';
import { checkLedger } from './check-ledger.ts';
import { createLedger } from './ledger-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'portico-verify-'));
const env = { PORTICO_KEY_PEPPER: testPepper };
let original: string;
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A ledger with two accounts, grants, minted keys, succeeded, failed and stored answers, and one request that still runs. */
beforeAll(async () => {
  original = await sharedDatabase(directory);
  const gateway = await openGateway({ database: original, env, sandboxPace: 0 });
  const left: [accountId: string, keyId: string][] = [];
  for (const name of ['A', 'B']) {
    const account = await gateway.operator.createAccount({ name });
    await gateway.operator.grant({ accountId: account.id, amount: parseUsd('1.5') });
    await gateway.operator.grant({ accountId: account.id, amount: parseUsd('0.000000001') });
    const spendLimit = parseUsd('1');
    const { key } = await gateway.operator.createKey({ accountId: account.id, spendLimit, scopes: allScopes });
    const post = async (path: string, body: object, used: string, more: Record<string, string> = {}) => {
      const headers = { authorization: `Bearer ${used}`, 'content-type': 'application/json', ...more };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await gateway.fetch(new Request(`http://127.0.0.1${path}`, init))).text();
    };
    const minted = JSON.parse(await post('/v1/keys', { label: 'minted' }, key));
    await post('/chat', { model: 'sandbox/echo', prompt: 'one' }, key);
    await post('/chat', { model: 'sandbox/echo', prompt: 'two' }, minted.key, { 'idempotency-key': 'kept' });
    await post('/chat', { model: 'sandbox/flaky', prompt: 'fails' }, key);
    const models = { 'sandbox/echo': spendLimit, 'p/m': spendLimit };
    await gateway.operator.limitAccount(account.id, { models });
    left.push([account.id, minted.id]);
  }
  await gateway.close();
  for (const [accountId, keyId] of left) {
    await hold(accountId, keyId);
    await onOwnKey(accountId, keyId);
  }
});

const open = (accountId: string, keyId: string) => ({
  accountId,
  keyId,
  amount: nanoUsd(1_000n),
  provider: 'p',
  model: 'm',
  byok: false,
  purpose: null,
  conversationId: null,
  user: null,
  metadata: {},
});

/** A request on the caller's own key with a fee of 2.5 % of 8 nano-dollars, which rounds up to one. */
async function onOwnKey(accountId: string, keyId: string) {
  const gatewayDb = await openDatabase(original);
  const ledger = createLedger({
    db: gatewayDb.db,
    now: Date.now,
    instanceId: 'inst_b',
  });
  const requestId = `req_own_key_of_${accountId}`;
  const rates = { prompt: picoUsd(2_000n), completion: picoUsd(0n), cacheRead: null, cacheWrite: null };
  await holdDurably(ledger, { ...open(accountId, keyId), requestId, byok: true });
  await ledger.settle({
    requestId,
    status: 'succeeded',
    errorCode: null,
    charge: nanoUsd(1n),
    upstreamCost: nanoUsd(8n),
    byokFeeBps: 250,
    price: { ...rates, request: picoUsd(0n), tiers: [] },
    estimated: false,
    provider: 'p',
    model: 'm',
    usage: { ...noTokens, promptTokens: 4 },
    routing: null,
    firstTokenMs: null,
    totalMs: 1,
  });
  await gatewayDb.db.destroy();
}

/** The state that a killed process leaves. */
async function hold(accountId: string, keyId: string) {
  const gatewayDb = await openDatabase(original);
  const ledger = createLedger({
    db: gatewayDb.db,
    now: Date.now,
    instanceId: 'inst_killed',
  });
  await holdDurably(ledger, { ...open(accountId, keyId), requestId: `req_left_by_${accountId}` });
  await gatewayDb.db.destroy();
}

let copies = 0;

async function copyLedger(): Promise<string> {
  if (onPostgres()) return testDatabase(original);
  const copy = join(directory, `copy-${copies++}.db`);
  copyFileSync(original, copy);
  return copy;
}

/** Removes the constraints that would refuse such statements, then runs them. */
async function corrupt(database: string, statements: readonly string[]): Promise<void> {
  if (onPostgres()) return corruptOnPostgres(database, statements);
  const gatewayDb = new Database(database);
  for (const trigger of ['ledger_refuses_update', 'ledger_refuses_delete']) gatewayDb.exec(`DROP TRIGGER ${trigger}`);
  for (const index of uniqueEntries) gatewayDb.exec(`DROP INDEX ${index}`);
  gatewayDb.pragma('foreign_keys = OFF');
  gatewayDb.pragma('ignore_check_constraints = ON');
  for (const statement of statements) expect(gatewayDb.prepare(statement).run().changes, statement).toBeGreaterThan(0);
  gatewayDb.close();
}

const uniqueEntries = ['ledger_one_usage', 'ledger_one_byok_fee'];

async function corruptOnPostgres(database: string, statements: readonly string[]): Promise<void> {
  const gatewayDb = new pg.Client({ connectionString: database });
  await gatewayDb.connect();
  // Disables triggers, so that nothing refuses a change and no foreign key is checked.
  await gatewayDb.query('SET session_replication_role = replica');
  for (const index of uniqueEntries) await gatewayDb.query(`DROP INDEX ${index}`);
  const checks = await gatewayDb.query(
    "SELECT conrelid::regclass AS table, conname AS name FROM pg_constraint WHERE contype = 'c' AND conrelid > 0",
  );
  for (const { table, name } of checks.rows) await gatewayDb.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const statement of statements) expect((await gatewayDb.query(statement)).rowCount, statement).toBeGreaterThan(0);
  await gatewayDb.end();
}

async function verified(...corruption: string[]) {
  const copy = await copyLedger();
  await corrupt(copy, corruption);
  const gatewayDb = await openDatabase(copy);
  const report = await checkLedger(gatewayDb);
  await gatewayDb.db.destroy();
  return { ...report, wrong: report.checks.filter((check) => check.problems.length > 0) };
}

const first = '(SELECT id FROM accounts ORDER BY id LIMIT 1)';
const running = "(SELECT id FROM requests WHERE status = 'running' ORDER BY id LIMIT 1)";
const minted = '(SELECT id FROM api_keys WHERE parent_id IS NOT NULL ORDER BY id LIMIT 1)';
const limited = `(SELECT parent_id FROM api_keys WHERE id = ${minted})`;
const columns = 'account_id, type, amount, balance_after, created, request_id';
const month = 'month used = sum of the charges since its month began';
const day = 'day requests = number of the requests since its day began';
const spent = 'key spent = sum of its requests and of the keys it minted';
const held = 'key held = sum of its running holds and of the keys it minted';
const lineage = 'each minted key comes from a key of its account, and none from itself';
const price = 'charge = tokens × the price row that was used, or the fee’s share of it';
const free = 'what failed and used nothing, and what ran on the caller’s own key without a fee, is charged nothing';
const share = 'a fee is a share of at most all, and only of what ran on the caller’s own key';
const booked = 'one usage or fee entry for each charged request';
const behind = 'one charged request for each usage or fee entry';
const ended = 'what runs has no end and no charge, what ended holds nothing';
const ownKey = 'each request was made with a key of its account';
const keptAnswer = 'each kept answer is that of one request that succeeded';
const sign = 'what was added is above zero and what was spent below';
const charged = '(SELECT id FROM requests WHERE charge > 0 AND byok = 0 ORDER BY id LIMIT 1)';
const usageKey = 'account_id, day, provider, model, key_id, status, byok';
const someDay = `(${usageKey}) = (SELECT ${usageKey} FROM usage_daily ORDER BY ${usageKey} LIMIT 1)`;
const ownKeys = '(SELECT id FROM requests WHERE byok = 1 ORDER BY id LIMIT 1)';

test('an untouched ledger passes every check and its sums are reported', async () => {
  const report = await verified();
  expect(report.wrong).toEqual([]);
  expect(report.ok).toBe(true);
  expect(report.sums).toMatchObject({
    accounts: 2,
    requests: 10,
    entries: 10,
    granted_usd: '3.000000002',
    held_usd: '0.000002',
    running: 2,
    abandoned: 0,
  });
  expect(parseUsd(report.sums.granted_usd) - parseUsd(report.sums.used_usd)).toBe(parseUsd(report.sums.balance_usd));
  for (const check of report.checks) expect(check.checked, check.name).toBeGreaterThan(0);
});

test('holds whose lease has run out are counted as abandoned', async () => {
  const gatewayDb = await openDatabase(original);
  const report = await checkLedger(gatewayDb, () => Date.now() + 61_000);
  await gatewayDb.db.destroy();
  expect(report).toMatchObject({ ok: true, sums: { running: 2, abandoned: 2 } });
});

// On PostgreSQL, readers never block a writer.
test.skipIf(onPostgres())('a gateway that serves the same file does not wait for the check', async () => {
  const copy = await copyLedger();
  const gatewayDb = await openDatabase(copy);
  const writer = new Database(copy, { timeout: 0 });
  const report = checkLedger(gatewayDb);
  let writes = 0;
  let done = false;
  const end = report.finally(() => {
    done = true;
  });
  while (!done) {
    writer.exec("BEGIN IMMEDIATE; UPDATE accounts SET name = 'renamed'; COMMIT");
    writes++;
    await null;
  }
  expect((await end).ok).toBe(true);
  expect(writes).toBeGreaterThan(10);
  writer.close();
  await gatewayDb.db.destroy();
});

test('an empty ledger passes every check', async () => {
  const gatewayDb = await openDatabase(await testDatabase());
  expect(await checkLedger(gatewayDb)).toMatchObject({ ok: true, sums: { accounts: 0, balance_usd: '0' } });
  await gatewayDb.db.destroy();
});

const ofModel = 'a model’s limit has counted what it was charged since the account’s month began';
const heldOfModel = 'a model’s limit holds what its running requests hold';
const countedOfModel = (model: string, counted: string) =>
  `UPDATE accounts SET model_limits = '{"${model}":${counted}}' WHERE id = ${first}`;

const corruptions: readonly (readonly [check: string, statement: string])[] = [
  ['balance = sum of the entries', `UPDATE accounts SET balance = balance + 1 WHERE id = ${first}`],
  ['granted = sum of what was added', `UPDATE accounts SET granted = granted - 1 WHERE id = ${first}`],
  ['used = sum of what was charged', `UPDATE accounts SET used = used + 1 WHERE id = ${first}`],
  ['held = sum of the running holds', `UPDATE accounts SET held = held + 1 WHERE id = ${first}`],
  [
    'each balance after = the one before + the amount',
    'UPDATE ledger_entries SET balance_after = balance_after - 1 WHERE seq = 2',
  ],
  ['balance = sum of the entries', 'UPDATE ledger_entries SET amount = amount + 1 WHERE seq = 1'],
  [booked, `UPDATE requests SET charge = charge + 1 WHERE id = ${charged}`],
  [booked, `DELETE FROM ledger_entries WHERE request_id = ${charged}`],
  [behind, `DELETE FROM requests WHERE id = ${charged}`],
  [
    behind,
    "UPDATE ledger_entries SET account_id = (SELECT id FROM accounts ORDER BY id DESC LIMIT 1) WHERE seq = (SELECT min(seq) FROM ledger_entries WHERE type = 'usage')",
  ],
  ['daily charge = sum of the requests', `UPDATE usage_daily SET charge = charge + 1 WHERE ${someDay}`],
  [
    'daily upstream cost = sum of the requests',
    `UPDATE usage_daily SET upstream_cost = upstream_cost + 1 WHERE ${someDay}`,
  ],
  ['daily requests = sum of the requests', `UPDATE usage_daily SET requests = requests + 1 WHERE ${someDay}`],
  ['daily requests = sum of the requests', `DELETE FROM usage_daily WHERE ${someDay}`],
  [
    'daily prompt tokens = sum of the requests',
    `UPDATE usage_daily SET prompt_tokens = prompt_tokens + 1 WHERE ${someDay}`,
  ],
  ['daily completion tokens = sum of the requests', `UPDATE requests SET completion_tokens = 0 WHERE id = ${charged}`],
  ['daily cached tokens = sum of the requests', `UPDATE requests SET cached_tokens = 1 WHERE id = ${charged}`],
  ['daily reasoning tokens = sum of the requests', `UPDATE usage_daily SET reasoning_tokens = 1 WHERE ${someDay}`],
  [month, `UPDATE accounts SET month_used = month_used + 1 WHERE id = ${first}`],
  [month, `UPDATE accounts SET month = '2020-01', month_used = 0 WHERE id = ${first}`],
  [
    'day used = sum of the charges since its day began',
    `UPDATE accounts SET day_used = day_used + 1 WHERE id = ${first}`,
  ],
  [day, `UPDATE accounts SET day_requests = day_requests - 1 WHERE id = ${first}`],
  [spent, `UPDATE api_keys SET spent = spent + 1 WHERE id = ${minted}`],
  [spent, `UPDATE api_keys SET spent = spent - 1 WHERE id = ${limited}`],
  [spent, `UPDATE api_keys SET parent_id = NULL WHERE id = ${minted}`],
  [held, `UPDATE api_keys SET held = held + 1 WHERE id = ${minted}`],
  [held, `UPDATE api_keys SET held = held - 1 WHERE id = ${limited}`],
  [held, `UPDATE requests SET hold = hold + 1 WHERE id = ${running}`],
  ['held = sum of the running holds', `UPDATE requests SET hold = hold - 1 WHERE id = ${running}`],
  ['held = sum of the running holds', `DELETE FROM requests WHERE id = ${running}`],
  [lineage, `UPDATE api_keys SET parent_id = 'key_gone' WHERE id = ${minted}`],
  [lineage, `UPDATE api_keys SET parent_id = ${minted} WHERE id = ${limited}`],
  [lineage, `UPDATE api_keys SET account_id = 'acct_other' WHERE id = ${minted}`],
  [price, `UPDATE requests SET charge = charge - 1 WHERE id = ${charged}`],
  [price, `UPDATE requests SET prompt_tokens = prompt_tokens + 1 WHERE id = ${charged}`],
  [free, "UPDATE requests SET charge = 1 WHERE status = 'failed'"],
  [free, `UPDATE requests SET byok = 1 WHERE id = ${charged}`],
  [free, `UPDATE requests SET price = NULL WHERE id = ${ownKeys}`],
  [price, `UPDATE requests SET charge = charge + 1 WHERE id = ${ownKeys}`],
  [price, `UPDATE requests SET byok_fee_bps = 1251 WHERE id = ${ownKeys}`],
  [price, `UPDATE requests SET byok = 0 WHERE id = ${ownKeys}`],
  [share, `UPDATE requests SET byok_fee_bps = 1 WHERE id = ${charged}`],
  [share, `UPDATE requests SET byok_fee_bps = 10001 WHERE id = ${ownKeys}`],
  [booked, `UPDATE ledger_entries SET type = 'usage' WHERE request_id = ${ownKeys}`],
  [behind, `UPDATE ledger_entries SET type = 'usage' WHERE request_id = ${ownKeys}`],
  [behind, `UPDATE ledger_entries SET type = 'byok_fee' WHERE request_id = ${charged}`],
  [sign, `UPDATE ledger_entries SET amount = -amount WHERE request_id = ${ownKeys}`],
  [ofModel, countedOfModel('sandbox/echo', '["1000000000","1","0"]')],
  [ofModel, countedOfModel('p/m', '["1000000000","0","1000"]')],
  [heldOfModel, countedOfModel('p/m', '["1000000000","1","999"]')],
  [ended, `UPDATE requests SET hold = 1 WHERE id = ${charged}`],
  [ended, `UPDATE requests SET ended = NULL WHERE id = ${charged}`],
  [ended, `UPDATE requests SET charge = 1 WHERE id = ${running}`],
  [ownKey, `UPDATE requests SET key_id = 'key_gone' WHERE id = ${running}`],
  [keptAnswer, "UPDATE kept_answers SET request_id = 'req_gone'"],
  [keptAnswer, 'UPDATE kept_answers SET request_id = (SELECT min(request_id) FROM kept_answers)'],
  [sign, 'UPDATE ledger_entries SET amount = -amount WHERE seq = 1'],
  [
    booked,
    `INSERT INTO ledger_entries (id, ${columns}) SELECT 'txn_again', ${columns} FROM ledger_entries WHERE request_id = ${charged}`,
  ],
];

describe('a difference of one nano-dollar, one token or one row is found', () => {
  test.each(corruptions)('%s: %s', async (name, statement) => {
    const report = await verified(statement);
    expect(report.ok).toBe(false);
    expect(report.wrong.map((check) => check.name)).toContain(name);
  });

  test('every check finds at least one of these corruptions', async () => {
    const { checks } = await verified();
    expect(new Set(corruptions.map(([name]) => name))).toEqual(new Set(checks.map(({ name }) => name)));
  });

  test('a violation has its place, the expected and the stored value', async () => {
    const { wrong } = await verified(`UPDATE accounts SET balance = 1 WHERE id = ${first}`);
    expect(wrong).toHaveLength(1);
    expect(wrong[0]?.problems).toEqual([
      { where: expect.stringMatching(/^acct_/), expected: expect.stringMatching(/^\$1\.\d+$/), found: '$0.000000001' },
    ]);
  });
});

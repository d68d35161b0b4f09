import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { openBooks } from '../db/open.ts';
import { openGateway } from '../open-gateway.ts';
import { verifyBooks } from './verify-books.ts';

const directory = mkdtempSync(join(tmpdir(), 'portico-verify-'));
const original = join(directory, 'books.db');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Books with two accounts, grants, and answers that succeeded and failed. */
beforeAll(async () => {
  const gateway = await openGateway({ database: original, sandboxPace: 0, exclusive: true });
  for (const name of ['A', 'B']) {
    const account = await gateway.operator.createAccount({ name });
    await gateway.operator.grant({ accountId: account.id, amount: parseUsd('1.5') });
    await gateway.operator.grant({ accountId: account.id, amount: parseUsd('0.000000001') });
    const { key } = await gateway.operator.createKey({ accountId: account.id });
    for (const body of [
      { model: 'sandbox/echo', prompt: 'one' },
      { model: 'sandbox/echo', prompt: 'two' },
      { model: 'sandbox/flaky', prompt: 'fails' },
    ]) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      await (await gateway.fetch(new Request('http://127.0.0.1/chat', init))).text();
    }
  }
  await gateway.close();
});

let copies = 0;

async function verified(...corruption: string[]) {
  const copy = join(directory, `copy-${copies++}.db`);
  copyFileSync(original, copy);
  const database = new Database(copy);
  for (const trigger of ['ledger_refuses_update', 'ledger_refuses_delete']) database.exec(`DROP TRIGGER ${trigger}`);
  database.pragma('foreign_keys = OFF');
  for (const statement of corruption) expect(database.prepare(statement).run().changes, statement).toBeGreaterThan(0);
  database.close();
  const books = await openBooks(copy);
  const report = await verifyBooks(books);
  await books.db.destroy();
  return { ...report, wrong: report.checks.filter((check) => check.problems.length > 0) };
}

const first = '(SELECT id FROM accounts ORDER BY id LIMIT 1)';
const charged = '(SELECT id FROM requests WHERE charge > 0 ORDER BY id LIMIT 1)';

test('books that nobody touched are exact, and their sums are told', async () => {
  const report = await verified();
  expect(report.wrong).toEqual([]);
  expect(report.ok).toBe(true);
  expect(report.sums).toMatchObject({
    accounts: 2,
    requests: 6,
    entries: 8,
    granted_usd: '3.000000002',
    held_usd: '0',
  });
  expect(parseUsd(report.sums.granted_usd) - parseUsd(report.sums.used_usd)).toBe(parseUsd(report.sums.balance_usd));
  for (const check of report.checks.filter(({ name }) => !name.startsWith('held'))) {
    expect(check.checked, check.name).toBeGreaterThan(0);
  }
});

test('a gateway that serves the same books is not kept waiting', async () => {
  const copy = join(directory, 'served.db');
  copyFileSync(original, copy);
  const books = await openBooks(copy);
  const writer = new Database(copy, { timeout: 0 });
  const report = verifyBooks(books);
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
  await books.db.destroy();
});

test('empty books are exact', async () => {
  const books = await openBooks(':memory:');
  expect(await verifyBooks(books)).toMatchObject({ ok: true, sums: { accounts: 0, balance_usd: '0' } });
  await books.db.destroy();
});

describe('one nano-dollar, one token or one row off is found', () => {
  test.each([
    ['balance = sum of the entries', `UPDATE accounts SET balance = balance + 1 WHERE id = ${first}`],
    ['granted = sum of what was added', `UPDATE accounts SET granted = granted - 1 WHERE id = ${first}`],
    ['used = sum of what was charged', `UPDATE accounts SET used = used + 1 WHERE id = ${first}`],
    ['held = sum of the running holds', `UPDATE accounts SET held = held + 1 WHERE id = ${first}`],
    [
      'each balance after = the one before + the amount',
      'UPDATE ledger_entries SET balance_after = balance_after - 1 WHERE seq = 2',
    ],
    ['balance = sum of the entries', 'UPDATE ledger_entries SET amount = amount + 1 WHERE seq = 1'],
    ['one usage entry for each charged request', `UPDATE requests SET charge = charge + 1 WHERE id = ${charged}`],
    ['one usage entry for each charged request', `DELETE FROM ledger_entries WHERE request_id = ${charged}`],
    ['one charged request for each usage entry', `DELETE FROM requests WHERE id = ${charged}`],
    [
      'one charged request for each usage entry',
      "UPDATE ledger_entries SET account_id = (SELECT id FROM accounts ORDER BY id DESC LIMIT 1) WHERE seq = (SELECT min(seq) FROM ledger_entries WHERE type = 'usage')",
    ],
    ['daily charge = sum of the requests', 'UPDATE usage_daily SET charge = charge + 1 WHERE rowid = 1'],
    [
      'daily upstream cost = sum of the requests',
      'UPDATE usage_daily SET upstream_cost = upstream_cost + 1 WHERE rowid = 1',
    ],
    ['daily requests = sum of the requests', 'UPDATE usage_daily SET requests = requests + 1 WHERE rowid = 1'],
    ['daily requests = sum of the requests', 'DELETE FROM usage_daily WHERE rowid = 1'],
    [
      'daily prompt tokens = sum of the requests',
      'UPDATE usage_daily SET prompt_tokens = prompt_tokens + 1 WHERE rowid = 1',
    ],
    [
      'daily completion tokens = sum of the requests',
      `UPDATE requests SET completion_tokens = 0 WHERE id = ${charged}`,
    ],
    ['daily cached tokens = sum of the requests', `UPDATE requests SET cached_tokens = 1 WHERE id = ${charged}`],
    ['daily reasoning tokens = sum of the requests', 'UPDATE usage_daily SET reasoning_tokens = 1 WHERE rowid = 1'],
  ])('%s: %s', async (name, statement) => {
    const report = await verified(statement);
    expect(report.ok).toBe(false);
    expect(report.wrong.map((check) => check.name)).toContain(name);
  });

  test('with the place, what it should be and what it is', async () => {
    const { wrong } = await verified(`UPDATE accounts SET balance = 1 WHERE id = ${first}`);
    expect(wrong).toHaveLength(1);
    expect(wrong[0]?.problems).toEqual([
      { where: expect.stringMatching(/^acct_/), expected: expect.stringMatching(/^\$1\.\d+$/), found: '$0.000000001' },
    ]);
  });
});

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { freePort } from '../../../../tests/support/free-port.ts';
import { openPricedUpstream, pricedModel } from '../../../../tests/support/priced-upstream.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';

async function open(options: Parameters<typeof coreOfTest>[0] = {}) {
  const core = await coreOfTest({ openGateway, listen, ...options });
  const { client, dataFolder } = core;
  await client.models.list();
  const ask = async (model = 'sandbox/echo', more: { temporary?: boolean } = {}) => {
    const sent = await client.chat.send({ messageId: randomUUID(), text: 'Name three lakes', model, ...more });
    await chatEnded(client, sent.conversationId);
    return sent;
  };
  const read = (billingAccount: 'sandbox' | 'main' = 'sandbox') => client.reconciliation.get({ billingAccount });
  const sql = (file: 'portico.db' | 'gateway.db', work: (db: Sqlite.Database) => unknown) => {
    const db = new Sqlite(join(dataFolder, file), { timeout: 5000 });
    try {
      return work(db.defaultSafeIntegers(true));
    } finally {
      db.close();
    }
  };
  const sumIn = (file: 'portico.db' | 'gateway.db', query: string) =>
    formatUsd(nanoUsd(BigInt(sql(file, (db) => db.prepare(query).pluck().get()) as bigint)));
  return { ...core, ask, read, sql, sumIn };
}

/** The account of test credits, queried independently of the app's own code. */
const sandboxAccount = `(select id from accounts where plan = 'sandbox')`;

test('chats, deleted and temporary messages, another program and a stopped answer all match the ledger', async () => {
  const { client, ask, read, sumIn } = await open();
  await ask();
  const removed = await ask();
  await client.messages.remove({ messageId: (await readThread(client, removed.conversationId)).messages[1]?.id ?? '' });
  await client.conversations.remove({ id: (await ask('sandbox/echo', { temporary: true })).conversationId });
  const running = await client.chat.send({ messageId: randomUUID(), text: 'Tell me more', model: 'sandbox/tour' });
  await client.chat.stop({ answerId: running.answerId });
  await chatEnded(client, running.conversationId);
  const { key } = await client.apiKeys.create({
    account: 'sandbox',
    name: 'A program',
    scopes: ['chat'],
    limitUsd: null,
    expiresAt: null,
  });
  const { local } = await client.gateway.listen({ enabled: true, port: await freePort() });
  const answered = await fetch(`${local.url}/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', prompt: 'Hello?' }),
  });
  expect(answered.status).toBe(200);

  const found = await eventually(async () => {
    const now = await read();
    expect(now).toMatchObject({ running: 0, openCount: 0 });
    return now;
  });
  expect(found).toMatchObject({ part: null, differenceUsd: '0', openRows: [] });
  expect(found.requests).toBe(found.matched);
  expect(found.kinds).toMatchObject({ deleted: 2, otherPrograms: 1, explained: 0 });
  const lines = `from ledger_entries where account_id = ${sandboxAccount}`;
  expect(found.sums.ledgerUsd).toBe(sumIn('gateway.db', `select -sum(amount) ${lines} and type = 'usage'`));
  expect(found.sums.recordsUsd).toBe(
    sumIn('gateway.db', `select sum(charge) from requests where account_id = ${sandboxAccount}`),
  );
  expect(found.balance).toEqual({
    usd: sumIn('gateway.db', `select balance from accounts where plan = 'sandbox'`),
    linesUsd: sumIn('gateway.db', `select sum(amount) ${lines}`),
  });
  const credits = await client.credits.get({ billingAccount: 'sandbox' });
  expect(credits.balance).toBe(found.balance?.usd);
});

test('every mismatch left by a crash, a restore or a wrong record is listed and settled by one action', async () => {
  const { client, ask, read, sql } = await open();
  const ids: string[] = [];
  for (let count = 0; count < 4; count++) ids.push((await ask()).answerId);
  const [crashed = '', wrong = '', lost = '', invented = ''] = ids;
  const changed = (statement: string, ...values: string[]) =>
    sql('portico.db', (db) => db.prepare(statement).run(...values));
  // The process died before the gateway had reported the request id.
  for (const table of ['spend', 'messages'])
    changed(`update ${table} set request_id = null, cost_usd = null, cost_source = 'unknown' where id = ?`, crashed);
  changed('update spend set request_id = null, cost_usd = null where id = ?', crashed);
  changed(`update spend set cost_usd = '0.5' where id = ?`, wrong);
  const lostRequest = sql('portico.db', (db) =>
    db.prepare('select request_id from spend where id = ?').pluck().get(lost),
  ) as string;
  changed('delete from spend where id = ?', lost);
  changed(`update spend set request_id = 'req_of_nobody', cost_usd = '0.25' where id = ?`, invented);

  const found = await read();
  expect(found).toMatchObject({ requests: 5, matched: 0, openCount: 5 });
  const kinds = new Map(found.openRows.map((row) => [`${row.kind} ${row.spendId ?? row.requestId}`, row]));
  const named = [`cost_differs ${wrong}`, `cost_open ${crashed}`, `no_chat ${lostRequest}`, `no_record ${invented}`];
  // The request that the invented id has replaced is unmatched too.
  expect([...kinds.keys()]).toEqual(expect.arrayContaining([...named, expect.stringMatching(/^no_chat req_/)]));
  expect(found.differenceUsd).not.toBe('0');
  for (const { kind, requestId, spendId } of found.openRows) {
    if (kind === 'no_chat' || kind === 'no_record')
      await client.reconciliation.mark({ requestId: requestId ?? '', explained: true });
    else
      expect(await client.reconciliation.lookUp({ billingAccount: 'sandbox', requestId, spendId })).toEqual({
        found: true,
      });
  }
  const settled = await read();
  expect(settled).toMatchObject({ requests: 5, matched: 5, openCount: 0, differenceUsd: '0' });
  expect(settled.kinds).toMatchObject({ chats: 2, explained: 3 });
  await client.reconciliation.mark({ requestId: lostRequest, explained: false });
  expect(await read()).toMatchObject({ openCount: 1, openRows: [{ kind: 'no_chat', requestId: lostRequest }] });
});

test('a charge more than 1 % off from tokens × price raises an alarm until it is marked as explained', async () => {
  const upstream = await openPricedUpstream(() => ({ promptTokens: 1000, completionTokens: 100 }));
  onTestFinished(upstream.close);
  const { client, ask, sql } = await open({ env: upstream.env });
  await ask(pricedModel);
  await ask(pricedModel);
  const drift = () => client.reconciliation.drift({ billingAccount: 'main' });
  expect(await client.reconciliation.alarm()).toEqual({ drifting: 0 });
  expect(await drift()).toMatchObject({ checked: 2, count: 0 });
  await ask(pricedModel);
  // Flush the ledger, then raise the charge above the price.
  await client.credits.get({ billingAccount: 'main' });

  sql('gateway.db', (db) =>
    db.exec(`update requests set price = replace(price, '"prompt":"0.00000015"', '"prompt":"0.0000001"')
      where created = (select max(created) from requests)`),
  );
  const { rows } = await drift();
  expect(rows).toMatchObject([
    { billedUsd: '0.00021', expectedUsd: '0.00016', perMille: 312, title: 'Name three lakes' },
  ]);
  expect(await client.reconciliation.alarm()).toEqual({ drifting: 1 });
  await client.reconciliation.mark({ requestId: rows[0]?.requestId ?? '', explained: true });
  expect(await client.reconciliation.alarm()).toEqual({ drifting: 0 });
});

/** Copies the account's only request and its ledger line many times, each a second older than the one before. */
function repeatRequest(file: string, times: number): void {
  const db = new Sqlite(file, { timeout: 5000 });
  const copy = (table: 'requests' | 'ledger_entries', where: string, change: Readonly<Record<string, string>>) => {
    const names = db.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[];
    db.exec(`with recursive n(at) as (select 1 union all select at + 1 from n where at < ${times})
      insert into ${table} (${names}) select ${names.map((name) => change[name] ?? `t.${name}`)}
      from ${table} t, n where ${where}`);
  };
  const created = 't.created - n.at * 1000';
  const named = (column: string) => `substr(t.${column}, 1, 10) || printf('%016d', ${times} - n.at)`;
  const entry = { seq: 'null', id: named('id'), created, request_id: named('request_id') };
  copy('requests', 'true', { id: named('id'), created });
  copy('ledger_entries', `t.type = 'usage'`, entry);
  db.close();
}

/**
 * Opens a remote gateway whose only answer was copied many times, and a core with an account there. `reads` lists the
 * requested pages.
 */
async function openRemoteLedger(
  times: number,
  refuse: (path: string, reads: number) => Response | Promise<null> | null = () => null,
) {
  const { client, dataFolder } = await open();
  const database = join(dataFolder, 'remote.db');
  // The clock advances with every read, so that the rate limit per minute is never reached.
  let time = Date.UTC(2026, 10, 20);
  const gateway = await openGateway({ database, sandboxPace: 0, now: () => (time += 300) });
  const reads: string[] = [];
  const watched = {
    ...gateway,
    async fetch(request: Request, door?: Parameters<typeof gateway.fetch>[1]) {
      const { pathname } = new URL(request.url);
      if (pathname === '/v1/requests' || pathname === '/credits') reads.push(pathname);
      return (await refuse(pathname, reads.length)) ?? gateway.fetch(request, door);
    },
  };
  const door = await listen(watched, { port: 0 });
  onTestFinished(async () => {
    await door.close();
    await gateway.close();
  });
  const { id } = await gateway.operator.createAccount({ name: 'Team' });
  await gateway.operator.grant({ accountId: id, amount: parseUsd('5') });
  const { key } = await gateway.operator.createKey({ accountId: id, scopes: ['chat', 'models', 'account'] });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask = async () => {
    const asked = await fetch(`${door.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello?' }] }),
    });
    expect(asked.status).toBe(200);
    // Asking for the account makes the gateway flush the request into its file.
    await fetch(`${door.url}/account`, { headers });
    return parseUsd(((await asked.json()) as { usage: { cost_usd: string } }).usage.cost_usd);
  };
  const cost = await ask();
  repeatRequest(database, times);
  await client.gatewayAccounts.add({ baseUrl: door.url, key });
  const get = () => client.reconciliation.get({ billingAccount: 'main' });
  /** Polls until everything was read. */
  const readAll = async () => {
    for (;;) {
      const found = await get();
      if (found.part === null) return found;
    }
  };
  return { client, ask, cost, get, readAll, reads };
}

const matching = (count: number, cost: bigint) => {
  const all = formatUsd(nanoUsd(cost * BigInt(count)));
  const sums = { recordsUsd: all, ledgerUsd: all, otherProgramsUsd: all };
  return { part: null, requests: count, matched: count, openCount: 0, differenceUsd: '0', sums };
};

test('a remote ledger of any length is read to its end, page by page, and matches', async () => {
  const times = 20_349;
  const seen = Promise.withResolvers<null>();
  const { client, ask, cost, get, readAll, reads } = await openRemoteLedger(times, (_path, page) =>
    page === 51 ? seen.promise : null,
  );
  // A partial read is matched and marked as partial. It stops at 50 pages here, because page 51 doesn't arrive yet.
  await expect.poll(get).toMatchObject({
    part: { requests: 5_000, since: expect.any(Number) },
    requests: 5_000,
    matched: 5_000,
    openCount: 0,
    differenceUsd: '0',
    sums: { recordsUsd: formatUsd(nanoUsd(cost * 5_000n)), ledgerUsd: null },
  });
  seen.resolve(null);
  expect(await readAll()).toMatchObject(matching(times + 1, cost));
  expect(await client.reconciliation.drift({ billingAccount: 'main' })).toMatchObject({ checked: times + 1, count: 0 });
  // Later reads request only new records.
  await ask();
  reads.length = 0;
  expect(await readAll()).toMatchObject(matching(times + 2, cost));
  expect(reads.length).toBeLessThan(10);
}, 300_000);

test('reading a remote ledger waits after a rate limit error and continues where it was interrupted', async () => {
  let refusal: ((path: string) => Response | null) | null = null;
  const { cost, get, readAll, reads } = await openRemoteLedger(399, (path) => refusal?.(path) ?? null);
  const error = (status: number, code: string, more: object) =>
    Response.json(
      { error: { message: 'No.', code, status_code: status, ...more } },
      { status, headers: { 'retry-after-ms': '20' } },
    );
  // The second page is rate limited once; the fourth page fails.
  refusal = () => {
    if (reads.length === 2) return error(429, 'rate_limit_exceeded', {});
    return reads.length < 4 ? null : error(500, 'internal_error', {});
  };
  await expect(get()).rejects.toMatchObject({ code: 'internal_error' });
  refusal = null;
  reads.length = 0;
  expect(await readAll()).toMatchObject(matching(400, cost));
  // The newest page again, and the two pages that were missing.
  expect(reads.filter((path) => path === '/v1/requests')).toHaveLength(3);
}, 120_000);

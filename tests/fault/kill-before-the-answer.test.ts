import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { gatewayClient } from '#shared/client/gateway-client.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { builtHosts } from '../hosts/built-hosts.ts';
import { eventually } from '../support/eventually.ts';
import { builtGateway, type GatewayProgram } from '../support/gateway-process.ts';
import { openHoldingProxy } from '../support/holding-proxy.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { openPricedUpstream, pricedModel } from '../support/priced-upstream.ts';
import { readThread, readTotal } from '../support/read-thread.ts';
import { startWebProcess, type WebProcess } from '../support/web-process.ts';

let main: string;
let program: GatewayProgram;
beforeAll(async () => {
  main = (await builtHosts()).webMain;
  program = await builtGateway();
});
const webs: WebProcess[] = [];
afterAll(async () => void (await Promise.all(webs.map((web) => web.kill('SIGKILL')))));

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'portico-kill-before-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function startWeb(dataDir: string) {
  const web = await startWebProcess(main, ['--data-dir', dataDir]);
  webs.push(web);
  return { web, client: await web.connect() };
}

/** Opens a gateway with an account that pays, and a proxy to it that keeps answers back. */
async function openPaidGateway() {
  const gatewayDb = folder();
  const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };
  const upstream = await openPricedUpstream(() => ({ promptTokens: 1234, completionTokens: 567 }));
  onTestFinished(upstream.close);
  const database = join(gatewayDb, 'gateway.db');
  const account = await prepaidAccount(database, env, '5', 1);
  const [key = ''] = account.keys;
  const gateway = await program.start(database, { env: { ...env, ...upstream.env } });
  onTestFinished(async () => void (await gateway.kill('SIGKILL')));
  const proxy = await openHoldingProxy(gateway.url);
  onTestFinished(proxy.close);
  /** Returns the ledger's charges, newest first. */
  const charges = async () => {
    const { transactions } = await gatewayClient({ baseUrl: gateway.url, apiKey: key }).credits({ type: 'usage' });
    return transactions.data.map(({ amount, request_id }) => ({ charged: -parseUsd(amount), requestId: request_id }));
  };
  return { gateway, proxy, key, charges };
}

const getSum = (charges: readonly { charged: bigint }[]) => charges.reduce((sum, { charged }) => sum + charged, 0n);

test('a charge made before the client received anything of the answer is found after kill -9 and agrees with the ledger', async () => {
  const { proxy, key, charges } = await openPaidGateway();
  const dataDir = folder();
  const before = await startWeb(dataDir);
  const { id: account } = await before.client.gatewayAccounts.add({ baseUrl: proxy.url, key });
  const { conversationId } = await before.client.chat.send({ messageId: 'k1', text: 'Hello?', model: pricedModel });
  expect(await proxy.answer).toContain('[DONE]');
  await before.web.kill('SIGKILL');

  const { client } = await startWeb(dataDir);
  const read = async () => (await readThread(client, conversationId)).messages;
  const unknown = { status: 'interrupted', text: '', requestId: null, costUsd: null, costSource: 'unknown' };
  expect((await read())[1]).toMatchObject(unknown);
  expect(await readTotal(client, conversationId)).toMatchObject({ usd: '0', requests: 1, unknown: 1 });
  // Without a keychain the key was lost with the program, so it's entered again.
  await client.gatewayAccounts.change({ id: account, key });
  await eventually(async () => expect((await read())[1]).toMatchObject({ costSource: 'billed' }));

  const charged = await charges();
  expect(getSum(charged)).toBeGreaterThan(0n);
  expect(charged.map(({ requestId }) => requestId)).toEqual([(await read())[1]?.requestId]);
  expect(await readTotal(client, conversationId)).toMatchObject({
    usd: formatUsd(nanoUsd(getSum(charged))),
    requests: 1,
    unknown: 0,
  });
});

test("the cost of a summary that kill -9 interrupted is found, and the chat's total agrees with the ledger", async () => {
  const { gateway, proxy, key, charges } = await openPaidGateway();
  const dataDir = folder();
  const before = await startWeb(dataDir);
  await before.client.gatewayAccounts.add({ baseUrl: gateway.url, key });
  let conversationId: string | null = null;
  for (const messageId of ['k1', 'k2', 'k3']) {
    const sent = await before.client.chat.send({ messageId, conversationId, text: 'Hello?', model: pricedModel });
    conversationId = sent.conversationId;
    const answered = async () => (await readThread(before.client, sent.conversationId)).messages.at(-1);
    await eventually(async () => expect(await answered()).toMatchObject({ status: 'done', costSource: 'billed' }));
  }
  const id = conversationId ?? '';
  const { id: account } = await before.client.gatewayAccounts.add({ baseUrl: proxy.url, key });
  const summary = before.client.context.compact({ conversationId: id, model: pricedModel, overCaps: false });
  const broken = summary.catch((error: unknown) => error);
  expect(await proxy.answer).toContain('[DONE]');
  await before.web.kill('SIGKILL');
  expect(await broken).toBeInstanceOf(Error);

  const { client } = await startWeb(dataDir);
  expect(await client.context.summary({ conversationId: id })).toBeNull();
  // Without a keychain the key was lost with the program, so it's entered again.
  await client.gatewayAccounts.change({ id: account, key });
  await eventually(async () => expect((await readTotal(client, id)).unknown).toBe(0));
  const charged = await charges();
  expect(charged).toHaveLength(4);
  expect(await readTotal(client, id)).toMatchObject({
    usd: formatUsd(nanoUsd(getSum(charged))),
    requests: 4,
    auxiliary: [{ purpose: 'compact', usd: formatUsd(nanoUsd(charged[0]?.charged ?? 0n)) }],
  });
});

test("kill -9 after the hold and before the model's first word leaves no hold and an answer that is known to be free", async () => {
  const dataDir = folder();
  const before = await startWeb(dataDir);
  const sent = await before.client.chat.send({ messageId: 'k1', text: 'Hello?', model: 'sandbox/slow' });
  await eventually(() => expect(rows(dataDir, 'gateway.db', "requests where status = 'running'")).toHaveLength(1), {
    interval: 2,
  });
  await before.web.kill('SIGKILL');
  // Usually the answer's head hasn't arrived at this point. In the test above it never has.
  const cut = { status: 'streaming', client_request_id: sent.answerId };
  expect(rows(dataDir, 'portico.db', "messages where role = 'assistant'")).toMatchObject([cut]);

  const { client } = await startWeb(dataDir);
  const read = async () => (await readThread(client, sent.conversationId)).messages;
  const found = {
    status: 'interrupted',
    requestId: expect.stringMatching(/^req_/),
    costUsd: '0',
    costSource: 'uncharged',
  };
  await eventually(async () => expect((await read())[1]).toMatchObject(found));
  for (const { balance } of await client.account.wallets()) expect(balance?.held).toBe('0');
});

/** Reads a table as a second reader of the database file. */
function rows(dataDir: string, file: string, from: string): unknown[] {
  const db = new Sqlite(join(dataDir, file), { readonly: true });
  try {
    return db.prepare(`select * from ${from}`).all();
  } finally {
    db.close();
  }
}

import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { stageGatewayDb } from '#gateway/operations/backup/replace-gateway-db.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import { coreOfTest, type TestCoreOptions } from '../../../../tests/support/core-of-test.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { freePort } from '../../../../tests/support/free-port.ts';
import { disagreements } from '../../../../tests/support/ledger-agrees.ts';
import { memorySecrets } from '../../../../tests/support/memory-secrets.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';

async function start(options: TestCoreOptions = {}) {
  const secrets = memorySecrets();
  const defaults = { openGateway, listen, openSecrets: async () => secrets };
  const core = await coreOfTest(Object.assign(defaults, options));
  const { client, dataFolder } = core;
  const ask = async (text = 'Hello') => {
    const { conversationId } = await client.chat.send({ messageId: randomUUID(), text, model: 'sandbox/echo' });
    await chatEnded(client, conversationId);
    const { messages } = await readThread(client, conversationId);
    expect(messages.at(-1)).toMatchObject({ status: 'done', costSource: 'billed' });
    return messages.at(-1)?.costUsd ?? '';
  };
  const credits = async () => (await client.credits.get({ billingAccount: 'sandbox' })).balance;
  const unmatched = async () => {
    const { openRows } = await client.reconciliation.get({ billingAccount: 'sandbox', offset: 0 });
    return openRows.map(({ kind }) => kind);
  };
  const backUp = async () => (await client.ledger.backUp()).backups[0]?.name ?? '';
  const folder = join(dataFolder, 'backups', 'ledger');
  return { core, client, dataFolder, folder, secrets, ask, credits, unmatched, backUp };
}

test('the ledger can be restored from a copy and back again: newer keys are gone, and revoked keys stay revoked', async () => {
  const { client, folder, ask, credits, unmatched, backUp } = await start();
  await ask();
  const { local } = await client.gateway.listen({ enabled: true, port: await freePort() });
  const key = { account: 'sandbox', scopes: ['chat' as const, 'models' as const], limitUsd: null, expiresAt: null };
  const revoked = (await client.apiKeys.create({ ...key, name: 'Revoked' })).key;
  const works = async (which: string) =>
    (await fetch(`${local.url}/v1/models`, { headers: { authorization: `Bearer ${which}` } })).status === 200;
  const atCopy = await credits();
  const name = await backUp();
  await ask();
  await ask();
  const { key: editor } = await client.apiKeys.create({ ...key, name: 'Editor' });
  const [listed] = (await client.apiKeys.list({ account: 'sandbox' })).keys.filter(
    (candidate) => candidate.name === 'Revoked',
  );
  await client.apiKeys.revoke({ account: 'sandbox', id: listed?.id ?? '' });
  const before = await credits();
  expect([await works(editor), await works(revoked)]).toEqual([true, false]);

  const compared = await client.ledger.compare({ name });
  expect(compared.lostKeys).toEqual(['Editor']);
  expect(compared.accounts.find(({ billingAccount }) => billingAccount === 'sandbox')).toMatchObject({
    copy: { requests: 1, balanceUsd: atCopy },
    present: { requests: 3, balanceUsd: before },
  });

  const { backups } = await client.ledger.restore({ name });
  expect(backups.map(({ kind }) => kind)).toEqual(['before-restore', 'manual']);
  expect(await credits()).toBe(atCopy);
  expect([await works(editor), await works(revoked)]).toEqual([false, false]);
  expect(await unmatched()).toEqual(['no_record', 'no_record']);
  await ask();
  expect(readdirSync(folder).filter((name) => !name.endsWith('.db'))).toEqual([]);

  await client.ledger.restore({ name: backups[0]?.name ?? '' });
  expect(await credits()).toBe(before);
  expect([await works(editor), await works(revoked)]).toEqual([true, false]);
  expect(await unmatched()).toEqual(['no_record']);
  await ask();
});

test('a restore stops a running answer, charges it in the old ledger, and lets new requests wait', async () => {
  const { client, ask, credits, unmatched, backUp } = await start({ sandboxPace: 1 });
  await ask();
  const name = await backUp();
  const atCopy = await credits();
  const sent = await client.chat.send({ messageId: randomUUID(), text: 'Slowly', model: 'sandbox/slow' });
  await eventually(async () => {
    expect((await readThread(client, sent.conversationId)).messages[1]?.text).not.toBe('');
  });
  const restoring = client.ledger.restore({ name });
  const [{ backups }, meanwhile] = await Promise.all([restoring, credits()]);
  expect([meanwhile, await credits()]).toContain(atCopy);
  const { messages } = await readThread(client, sent.conversationId);
  expect(messages[1]).toMatchObject({ status: 'cancelled', costSource: 'estimated' });
  expect(Number(messages[1]?.costUsd)).toBeGreaterThan(0);
  await client.ledger.restore({ name: backups[0]?.name ?? '' });
  expect(await unmatched()).toEqual([]);
});

test('an answer whose cost is not reported before the ledger is replaced has an unknown cost, not $0, until the old ledger returns', async () => {
  let isReported = true;
  const { client, dataFolder, ask, backUp } = await start({
    sandboxPace: 1,
    async openGateway(options) {
      const gateway = await openGateway(options);
      const silent = (request: Request) => !isReported && new URL(request.url).pathname.includes('/requests/');
      const refused = { error: { message: 'Not now.', code: 'insufficient_scope', status_code: 403 } };
      return Object.assign({}, gateway, {
        fetch: async (request: Request, door?: Parameters<typeof gateway.fetch>[1]) =>
          silent(request) ? Response.json(refused, { status: 403 }) : gateway.fetch(request, door),
      });
    },
  });
  await ask();
  const name = await backUp();
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text: 'Slowly', model: 'sandbox/slow' });
  const answer = async () => (await readThread(client, conversationId)).messages[1];
  await eventually(async () => expect((await answer())?.text).not.toBe(''));
  isReported = false;
  const { backups, folder } = await client.ledger.restore({ name });
  isReported = true;
  const setAside = backups[0]?.name ?? '';
  const gatewayDb = new Sqlite(join(folder, setAside), { readonly: true });
  const charged = gatewayDb
    .prepare('select charge from requests where conversation_id = ?')
    .pluck()
    .safeIntegers()
    .get(conversationId) as bigint;
  gatewayDb.close();
  expect(charged).toBeGreaterThan(0n);
  const spendId = (await answer())?.id ?? '';
  // Asking the restored ledger doesn't help either: it has no record of the request.
  expect(await client.reconciliation.lookUp({ billingAccount: 'sandbox', requestId: null, spendId })).toEqual({
    found: false,
  });
  expect(await answer()).toMatchObject({ status: 'cancelled', costUsd: null, costSource: 'unknown' });

  await client.ledger.restore({ name: setAside });
  await eventually(async () => {
    expect(await answer()).toMatchObject({ costUsd: formatUsd(nanoUsd(charged)), costSource: 'estimated' });
  });
  expect(disagreements(dataFolder)).toEqual([]);
});

test('after a restore of a copy without the app’s account and key, the app creates both again and answers', async () => {
  const { client, dataFolder, ask, folder, credits } = await start();
  await ask();
  // A database that the app opened but never used.
  const empty = join(dataFolder, 'empty.db');
  await (await openGateway({ database: empty })).close();
  await client.ledger.backUp();
  const name = 'ledger-2026-01-01T00-00-00-000Z.db';
  writeFileSync(join(folder, name), readFileSync(empty));
  const { accounts } = await client.ledger.compare({ name });
  expect(accounts.map(({ copy }) => copy)).toEqual([null, null]);
  await client.ledger.restore({ name });
  expect(await credits()).toBe('10');
  await ask();
});

test('a restore refuses a damaged, foreign, newer or inconsistent copy and changes nothing', async () => {
  const { client, folder, ask, credits, backUp, dataFolder } = await start();
  await ask();
  const good = readFileSync(join(folder, await backUp()));
  await ask();
  const before = await credits();
  const names = [1, 2, 3, 4, 5].map((serial) => `ledger-2026-01-01T00-00-00-00${serial}Z.db`);
  const [damaged = '', foreign = '', newer = '', noise = '', wrong = ''] = names.map((name) => join(folder, name));
  writeFileSync(damaged, Buffer.concat([good.subarray(0, 20_000), Buffer.alloc(20_000, 7), good.subarray(40_000)]));
  new Sqlite(foreign).exec('create table notes (text)').close();
  writeFileSync(newer, good);
  new Sqlite(newer).exec("insert into kysely_migration values ('9999-later', '')").close();
  writeFileSync(noise, 'no database at all');
  writeFileSync(wrong, good);
  new Sqlite(wrong).exec('update accounts set balance = balance + 1').close();
  const refusals = await Promise.all(
    names.map((name) => client.ledger.restore({ name }).catch((error: unknown) => error)),
  );
  const unusable = (why: string) => ({ code: 'backup_unusable', message: expect.stringContaining(why) });
  expect(refusals).toMatchObject([
    unusable('damaged'),
    unusable('no database of Portico'),
    unusable('newer'),
    unusable(''),
    unusable('damaged'),
  ]);
  await expect(client.ledger.compare({ name: names[0] ?? '' })).rejects.toMatchObject(unusable('damaged'));
  expect(await credits()).toBe(before);
  for (const name of ['../../gateway.db', 'ledger-2020-01-01T00-00-00-000Z.db']) {
    await expect(client.ledger.restore({ name })).rejects.toMatchObject({ code: 'not_found' });
    await expect(client.ledger.compare({ name })).rejects.toMatchObject({ code: 'not_found' });
  }
  await ask();
  const left = readdirSync(folder).filter((name) => !name.endsWith('.db'));
  expect(left.filter((name) => /next|partial/.test(name))).toEqual([]);
  expect(existsSync(join(dataFolder, 'gateway.db'))).toBe(true);
});

test('a restore is refused while a command has the ledger open, and works afterwards', async () => {
  const { client, dataFolder, ask, credits, backUp } = await start();
  await ask();
  const name = await backUp();
  const atCopy = await credits();
  await ask();
  const before = await credits();
  const command = new Sqlite(join(dataFolder, 'gateway.db'));
  command.prepare('select count(*) from requests').get();
  await expect(client.ledger.restore({ name })).rejects.toMatchObject({
    code: 'database_in_use',
    message: expect.stringContaining('Nothing was changed'),
  });
  expect(await credits()).toBe(before);
  command.close();
  await client.ledger.restore({ name });
  expect(await credits()).toBe(atCopy);
});

test('the next start finishes an interrupted restore', async () => {
  const first = await start();
  await first.ask();
  const name = await first.backUp();
  const atCopy = await first.credits();
  await first.ask();
  await first.core.core.close();
  await stageGatewayDb(join(first.folder, name), join(first.folder, `${name}.next`));
  const { secrets, dataFolder } = first;
  const again = await start({ dataFolder, openSecrets: async () => secrets });
  expect(await again.credits()).toBe(atCopy);
  expect((await again.client.ledger.backups()).backups.map(({ kind }) => kind)).toEqual(['before-restore', 'manual']);
  await again.ask();
});

test.each([
  [
    'is refused',
    (ledger: Sqlite.Database) => void ledger.prepare('select count(*) from requests').get(),
    { code: 'database_in_use' },
  ],
  [
    'fails in the middle',
    (ledger: Sqlite.Database) => {
      // A schema that this version can't read.
      ledger.exec('alter table revoked_tokens add column more text');
      ledger.close();
    },
    { code: 'internal_error' },
  ],
])(
  'after a restore that %s, a request that never reached the gateway is known to have cost nothing',
  async (_how, meddle, why) => {
    let away = false;
    const { client, dataFolder, ask, backUp } = await start({
      async openGateway(options) {
        const gateway = await openGateway(options);
        return Object.assign({}, gateway, {
          async fetch(request: Request, door?: Parameters<typeof gateway.fetch>[1]) {
            if (away && request.method === 'POST') throw new TypeError('the connection broke');
            const refused = { error: { message: 'Not now.', code: 'insufficient_scope', status_code: 403 } };
            const isRecord = new URL(request.url).pathname.includes('/requests');
            return away && isRecord ? Response.json(refused, { status: 403 }) : gateway.fetch(request, door);
          },
        });
      },
    });
    await ask();
    const name = await backUp();
    away = true;
    const sent = await client.chat.send({ messageId: randomUUID(), text: 'Hello', model: 'sandbox/echo' });
    const answer = async () => (await readThread(client, sent.conversationId)).messages[1];
    await eventually(async () => expect(await answer()).toMatchObject({ status: 'error', costSource: 'unknown' }));
    const command = new Sqlite(join(dataFolder, 'gateway.db'));
    meddle(command);
    const { backups } = await client.ledger.backups();
    await expect(client.ledger.restore({ name })).rejects.toMatchObject(why);
    command.close();
    expect((await client.ledger.backups()).backups).toEqual(backups);
    away = false;
    const spendId = (await answer())?.id ?? '';
    expect(await client.reconciliation.lookUp({ billingAccount: 'sandbox', requestId: null, spendId })).toEqual({
      found: true,
    });
    expect(await answer()).toMatchObject({ costUsd: '0', costSource: 'uncharged' });
  },
);

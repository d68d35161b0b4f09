import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import type { Caps } from '#shared/contract/chat/caps.ts';
import { command } from '../../../../tests/gateway-doubles/cli-process.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { memorySecrets } from '../../../../tests/support/memory-secrets.ts';
import { readUntil } from '../../../../tests/support/test-core.ts';

const noCaps: Caps = { message: null, conversation: null, day: null, month: null, models: {} };

/** Starts an app on a data folder. The command line reads and sets the limits of its gateway from outside. */
async function start(folder?: string, secrets = memorySecrets()) {
  const openSecrets = async () => secrets;
  const { core, client, dataFolder } = await coreOfTest({
    openGateway,
    openSecrets,
    ...(folder === undefined ? {} : { dataFolder: folder }),
  });
  const account = async () => (await client.account.get({ billingAccount: 'main' })).id ?? '';
  await account();
  const limits = async (...words: string[]) => {
    const database = join(dataFolder, 'gateway.db');
    const { stdout, stderr } = await command([
      'account',
      'limits',
      await account(),
      ...words,
      '--json',
      '--db',
      database,
    ]);
    expect(stderr).toBe('');
    const { day, month, models } = JSON.parse(stdout) as Record<'day' | 'month', { limit_usd: string | null }> & {
      models: { model: string; limit_usd: string }[];
    };
    const ofModels = Object.fromEntries(models.map(({ model, limit_usd }) => [model, limit_usd]));
    return models.length > 0 ? [day.limit_usd, month.limit_usd, ofModels] : [day.limit_usd, month.limit_usd];
  };
  const cap = (caps: Partial<Caps>) => client.caps.set(Object.assign({}, noCaps, caps));
  const setOutside = async () => (await client.caps.get()).setOutside;
  const again = async () => {
    await core.close();
    return start(dataFolder, secrets);
  };
  const close = () => core.close();
  return { client, dataFolder, secrets, limits, cap, setOutside, again, close };
}

test('a limit set by the command line is kept and reported, even after a restart, until the app’s cap takes over', async () => {
  const first = await start();
  await first.cap({ day: '2.50', month: '20' });
  expect(await first.limits()).toEqual(['2.5', '20']);
  expect(await first.setOutside()).toEqual([]);
  await first.limits('--day', '5');
  expect(await first.setOutside()).toEqual([{ scope: 'day', model: null, limitUsd: '5' }]);

  const second = await first.again();
  expect(await second.setOutside()).toEqual([{ scope: 'day', model: null, limitUsd: '5' }]);
  // Changed caps overwrite only the limits that the app wrote itself.
  await second.cap({ day: '3', month: '30' });
  expect(await second.limits('--month', 'none')).toEqual(['5', null]);

  const third = await second.again();
  expect(await third.limits()).toEqual(['5', null]);
  expect(await third.setOutside()).toEqual([
    { scope: 'day', model: null, limitUsd: '5' },
    { scope: 'month', model: null, limitUsd: null },
  ]);
  await third.client.caps.takeOver();
  expect(await third.limits()).toEqual(['3', '30']);
  expect(await third.setOutside()).toEqual([]);

  // An outside limit equal to the app's cap belongs to the app again.
  await third.limits('--day', '7');
  await third.cap({ day: '7', month: '30' });
  expect(await third.setOutside()).toEqual([]);
  await third.cap({ day: '8' });
  expect(await third.limits()).toEqual(['8', null]);
});

test('a model cap also limits the account, and a model limit set by somebody else is kept and reported', async () => {
  const first = await start();
  await first.cap({ day: '2', models: { 'openai/gpt-5': '10', 'google/gemini': '5' } });
  expect(await first.limits()).toEqual(['2', null, { 'openai/gpt-5': '10', 'google/gemini': '5' }]);
  await first.limits('--model', 'openai/gpt-5=3', '--model', 'xai/grok=1');
  const second = await first.again();
  const outside = [
    { scope: 'model', model: 'openai/gpt-5', limitUsd: '3' },
    { scope: 'model', model: 'xai/grok', limitUsd: '1' },
  ];
  expect(await second.setOutside()).toEqual(outside);
  // Removing a cap removes its limit, but not a limit that others have set.
  await second.cap({ day: '2', models: { 'openai/gpt-5': '12' } });
  expect(await second.limits()).toEqual(['2', null, { 'openai/gpt-5': '3', 'xai/grok': '1' }]);
  expect(await second.setOutside()).toEqual(outside);
  await second.client.caps.takeOver();
  expect(await second.limits()).toEqual(['2', null, { 'openai/gpt-5': '12' }]);
  expect(await second.setOutside()).toEqual([]);
  await second.cap({ day: '2' });
  expect(await second.limits()).toEqual(['2', null]);
});

test('an app without a record of the limits it wrote leaves every limit that differs from its caps', async () => {
  const first = await start();
  await first.cap({ day: '2', month: '20' });
  await first.limits('--day', '5');
  const settings = new Sqlite(join(first.dataFolder, 'portico.db'));
  settings.exec(`delete from settings where name = 'wallet.main.limits'`);
  settings.close();
  const second = await first.again();
  expect(await second.limits()).toEqual(['5', '20']);
  expect(await second.setOutside()).toEqual([{ scope: 'day', model: null, limitUsd: '5' }]);
  await second.cap({ day: '2', month: '30' });
  expect(await second.limits()).toEqual(['5', '30']);
});

test('after a restore of the ledger, the app’s caps and the outside limits apply as before it', async () => {
  const { client, dataFolder, cap, limits, setOutside } = await start();
  await cap({ day: '2', models: { 'openai/gpt-5': '10' } });
  const { backups, folder } = await client.ledger.backUp();
  await cap({ day: '3', month: '20', models: { 'openai/gpt-5': '9' } });
  await limits('--month', '25');
  await client.ledger.restore({ name: backups[0]?.name ?? '' });
  expect(await limits()).toEqual(['3', '25', { 'openai/gpt-5': '9' }]);
  expect(await setOutside()).toEqual([{ scope: 'month', model: null, limitUsd: '25' }]);
  await cap({ day: '4', month: '20' });
  expect(await limits()).toEqual(['4', '25']);

  // This copy has no accounts, like that of an app that was never used. The account is created again, with the app's
  // caps.
  const empty = join(dataFolder, 'empty.db');
  await (await openGateway({ database: empty })).close();
  const name = 'ledger-2026-01-01T00-00-00-000Z.db';
  const gatewayDb = new Sqlite(empty, { readonly: true });
  writeFileSync(join(folder, name), gatewayDb.serialize());
  gatewayDb.close();
  await client.ledger.restore({ name });
  expect(await limits()).toEqual(['4', '20']);
  expect(await setOutside()).toEqual([]);
});

test('outside limits are unknown while another server has the ledger open, and a cap saved meanwhile applies afterwards', async () => {
  const first = await start();
  await first.cap({ day: '2' });
  await first.close();
  const { dataFolder, secrets } = first;
  const other = await openGateway({ database: join(dataFolder, 'gateway.db') });
  const { client } = await coreOfTest({ dataFolder, openGateway, openSecrets: async () => secrets });
  const cap = { day: '3', models: { 'openai/gpt-5': '10' } };
  await client.caps.set(Object.assign({}, noCaps, cap));
  expect(await client.caps.get()).toMatchObject({ caps: cap, setOutside: null, counts: 'silent' });
  const opened = readUntil(await client.changes.watch(), (seen) => seen.some(({ topics }) => topics.includes('app')));
  await other.close();
  await opened;
  const id = (await client.account.get({ billingAccount: 'main' })).id ?? '';
  expect((await client.caps.get()).setOutside).toEqual([]);
  const { stdout } = await command(['account', 'limits', id, '--json', '--db', join(dataFolder, 'gateway.db')]);
  expect(JSON.parse(stdout)).toMatchObject({
    day: { limit_usd: '3' },
    models: [{ model: 'openai/gpt-5', limit_usd: '10' }],
  });
});

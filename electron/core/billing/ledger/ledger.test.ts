import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';

test('a backup fails and names the path when a file is in the place of the backup folder', async () => {
  const { client, dataFolder } = await coreOfTest({ openGateway });
  await client.models.list();
  const backups = join(dataFolder, 'backups');
  rmSync(backups, { recursive: true, force: true });
  writeFileSync(backups, 'no folder');
  const failure = { code: 'backup_failed', message: expect.stringContaining(backups) };
  await expect(client.ledger.backUp()).rejects.toMatchObject(failure);
  await expect(client.ledger.backups()).rejects.toMatchObject(failure);
  await expect(client.backup.make()).rejects.toMatchObject(failure);
});

test('the ledger is exported with one row per line, and a copy of it has correct sums', async () => {
  const { client, dataFolder } = await coreOfTest({ openGateway });
  await client.models.list();
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text: 'Hello', model: 'sandbox/echo' });
  await chatEnded(client, conversationId);
  const exported = async (format: 'csv' | 'json') => {
    let text = '';
    for await (const piece of await client.ledger.export({ billingAccount: 'sandbox', format })) text += piece.text;
    return text;
  };
  const lines = (await client.credits.get({ billingAccount: 'sandbox' })).transactions.data.toReversed();
  const json = JSON.parse(await exported('json')) as Record<
    'id' | 'amount_usd' | 'balance_after_usd' | 'provider' | 'provider_name',
    string | null
  >[];
  expect(json.map((line) => [line.id, line.amount_usd, line.balance_after_usd])).toEqual(
    lines.map((line) => [line.id, line.amount, line.balance_after]),
  );
  const rows = (await exported('csv')).trimEnd().split('\r\n');
  expect(rows).toHaveLength(lines.length + 1);
  expect(rows[0]).toBe(Object.keys(json[0] ?? {}).join(','));
  expect(json.map(({ provider, provider_name: name }) => `${provider}: ${name}`)).toEqual([
    'null: null',
    'sandbox: sandbox',
  ]);
  expect(rows.at(-1)).toContain(lines.at(-1)?.request_id ?? 'none');

  const { folder, backups } = await client.ledger.backUp();
  expect(backups).toHaveLength(1);
  const copy = new Sqlite(join(folder, backups[0]?.name ?? ''), { readonly: true });
  expect(copy.prepare('select count(*) from ledger_entries').pluck().get()).toBe(lines.length);
  copy.close();
  expect(folder.startsWith(dataFolder)).toBe(true);

  const { name } = backups[0] ?? { name: '' };
  expect((await client.ledger.remove({ name })).backups).toEqual([]);
  await expect(client.ledger.remove({ name })).rejects.toMatchObject({ code: 'not_found' });
  expect((await client.ledger.putBack({ name })).backups).toEqual(backups);
  await expect(client.ledger.remove({ name: '../../gateway.db' })).rejects.toMatchObject({ code: 'not_found' });
});

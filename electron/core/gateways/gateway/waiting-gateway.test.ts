import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { AppError } from '#shared/errors.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { freePort } from '../../../../tests/support/free-port.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';
import { readUntil, testCore } from '../../../../tests/support/test-core.ts';
import { waitingGateway } from './waiting-gateway.ts';

test('the app opens without its gateway while another server has the ledger, and the gateway opens when that server ends', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-waiting-'));
  const other = await openGateway({ database: join(dataFolder, 'gateway.db') });
  const core = await testCore({ dataFolder, openGateway, listen });
  onTestFinished(core.close);
  const { client } = core;
  const { problem } = await client.app.info();
  expect(problem?.message).toContain(`(process ${process.pid})`);
  expect(problem?.message).toContain('gateway.db');
  expect((await client.gateway.get()).status).toMatchObject({ state: 'refused', problem });
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text: 'Hello?', model: 'sandbox/echo' });
  await eventually(async () => {
    const { messages } = await readThread(client, conversationId);
    expect(messages[1]).toMatchObject({ status: 'error', error: { code: 'database_in_use', ...problem } });
  });
  const { local } = await client.gateway.listen({ enabled: true, port: await freePort() });
  const refused = await fetch(`${local.url}/v1/models`, { headers: { authorization: 'Bearer x' } });
  expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'database_in_use']);

  const news = readUntil(await client.changes.watch(), (seen) => seen.some(({ topics }) => topics.includes('presets')));
  await other.close();
  expect((await news).flatMap(({ topics }) => topics)).toContain('app');
  expect((await client.app.info()).problem).toBeNull();
  const again = await client.chat.send({ messageId: randomUUID(), text: 'Hello?', model: 'sandbox/echo' });
  await eventually(async () => {
    const { messages } = await readThread(client, again.conversationId);
    expect(messages[1]?.status).toBe('done');
  });
  expect((await fetch(`${local.url}/readyz`)).status).toBe(200);
});

test('a gateway that never opened refuses requests after it was closed', async () => {
  let tries = 0;
  const open = async () => {
    tries += 1;
    throw new AppError('database_in_use', 'Another server has it.');
  };
  const { gateway } = await waitingGateway({ open, log: () => {}, everyMs: 3_600_000, drainMs: 0 });
  await expect(gateway.operator.listAccounts()).rejects.toMatchObject({ code: 'database_in_use' });
  await gateway.close();
  const before = tries;
  await expect(gateway.operator.listAccounts()).rejects.toMatchObject({ code: 'shutting_down' });
  expect(tries).toBe(before);
});

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { freePort } from '../../../../tests/support/free-port.ts';
import { openPricedUpstream, pricedModel } from '../../../../tests/support/priced-upstream.ts';

test('caps of a day and a month count the spending of other programs exactly, and stop both them and the app', async () => {
  const upstream = await openPricedUpstream(() => ({ promptTokens: 1000, completionTokens: 100 }));
  onTestFinished(upstream.close);
  const { client, dataFolder } = await coreOfTest({ openGateway, listen, env: upstream.env });
  await client.models.list();
  const ask = async (overCaps = false) => {
    const question = { messageId: randomUUID(), text: 'Hello?', model: pricedModel, overCaps };
    const { conversationId } = await client.chat.send(question);
    await chatEnded(client, conversationId);
  };
  await ask();
  const { key } = await client.apiKeys.create({
    account: 'main',
    name: 'A program',
    scopes: ['chat'],
    limitUsd: null,
    expiresAt: null,
  });
  const { local } = await client.gateway.listen({ enabled: true, port: await freePort() });
  const asProgram = async () => {
    const answer = await fetch(`${local.url}/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: pricedModel, prompt: 'Hello?' }),
    });
    return { status: answer.status, body: (await answer.json()) as { error?: { message: string; details: object } } };
  };
  expect((await asProgram()).status).toBe(200);

  const { spentUsd, counts, meters } = await client.caps.get();
  const ledger = new Sqlite(join(dataFolder, 'gateway.db'), { readonly: true });
  const charged = ledger
    .prepare(
      `select -sum(e.amount) from ledger_entries e join accounts a on a.id = e.account_id where a.plan = 'local'`,
    )
    .pluck()
    .safeIntegers()
    .get() as bigint;
  ledger.close();
  expect(charged).toBe(420_000n);
  expect(spentUsd).toEqual({ day: formatUsd(nanoUsd(charged)), month: formatUsd(nanoUsd(charged)) });
  expect({ counts, meters }).toEqual({ counts: 'account', meters: [] });

  await client.caps.set({ message: null, conversation: null, day: '0.00043', month: null });
  expect((await client.caps.get()).meters).toEqual([
    { scope: 'day', model: null, capUsd: '0.00043', spentUsd: '0.00042', share: 0.976, state: 'near' },
  ]);
  await expect(ask()).rejects.toMatchObject({ code: 'cap_exceeded', message: expect.stringContaining('0.00043') });
  const refused = await asProgram();
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'plan_limit_exceeded' } } });
  expect(refused.body.error?.message).toContain('This account may spend $0.00043 a day, of which $0.00042 are used');
  await ask(true);
  expect((await client.caps.get()).meters).toMatchObject([{ spentUsd: '0.00063', state: 'full' }]);

  await client.caps.set({ message: null, conversation: null, day: null, month: '1' });
  expect((await asProgram()).status).toBe(200);

  const models = { [pricedModel]: '0.00085', 'openai/another': '0.0000001' };
  await client.caps.set({ message: null, conversation: null, day: null, month: null, models });
  expect((await client.caps.get()).meters).toMatchObject([
    { scope: 'model', model: pricedModel, spentUsd: '0.00084', state: 'near' },
    { scope: 'model', model: 'openai/another', spentUsd: '0', state: 'free' },
  ]);
  const refusal = `Your cap for ${pricedModel} this month (UTC) is $0.00085, of which $0.00084 are spent.`;
  await expect(ask()).rejects.toMatchObject({ code: 'cap_exceeded', message: expect.stringContaining(refusal) });
  const overModel = await asProgram();
  expect(overModel).toMatchObject({ status: 403, body: { error: { code: 'plan_limit_exceeded' } } });
  expect(overModel.body.error?.message).toContain(
    `This account may spend $0.00085 a month on ${pricedModel}, of which $0.00084 are used`,
  );
  await ask(true);
  await client.caps.set({ message: null, conversation: null, day: null, month: null });
  expect((await asProgram()).status).toBe(200);
});

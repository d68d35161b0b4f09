import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { builtHosts } from '../hosts/built-hosts.ts';
import { eventually } from '../support/eventually.ts';
import { readThread, readTotal } from '../support/read-thread.ts';
import { readUntil } from '../support/test-core.ts';
import { startWebProcess, type WebProcess } from '../support/web-process.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'portico-fault-'));
let main: string;
let web: WebProcess;
beforeAll(async () => {
  main = (await builtHosts()).webMain;
});
afterAll(async () => {
  await web?.kill('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

test('text that arrived before kill -9 is still there, marked and charged correctly, and nothing is stuck', async () => {
  web = await startWebProcess(main, ['--data-dir', dataDir]);
  const before = await web.connect();
  const opening = await testCredits(before);
  const started = await before.chat.send({ messageId: 'k1', text: 'Tell me slowly.', model: 'sandbox/slow' });
  const { conversationId } = started;
  const events = await readUntil(
    await before.chat.watch({ conversationId }),
    (seen) => seen.filter((event) => event.type === 'text-delta').length > 12,
  );
  expect(Number((await testCredits(before))?.balance?.held)).toBeGreaterThan(0);
  const shown = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  await web.kill('SIGKILL');

  web = await startWebProcess(main, ['--data-dir', dataDir]);
  const after = await web.connect();
  const read = async () => (await readThread(after, conversationId)).messages;
  const [question, answer] = await read();
  expect(question).toMatchObject({ id: 'k1', text: 'Tell me slowly.' });
  expect(answer).toMatchObject({ status: 'interrupted', requestId: expect.stringMatching(/^req_/) });
  expect(answer?.text.length).toBeGreaterThan(shown.length / 4);
  expect(shown.startsWith(answer?.text.slice(0, shown.length) ?? 'nothing')).toBe(true);

  await eventually(async () => expect((await read())[1]).toMatchObject({ costUsd: '0', costSource: 'uncharged' }));
  const settled = await testCredits(after);
  expect(settled?.balance?.held).toBe('0');
  const charged = await chargedTo(after);
  expect(parseUsd(opening?.balance?.amount ?? '') - parseUsd(settled?.balance?.amount ?? '')).toBe(charged);
  const { testCreditsUsd, ...total } = await readTotal(after, conversationId);
  expect(parseUsd(testCreditsUsd)).toBe(charged);
  expect(total).toMatchObject({ requests: 1, unknown: 0, notBilled: 0 });

  const next = await after.chat.send({ messageId: 'k2', conversationId, text: 'Go on.', model: 'sandbox/echo' });
  await eventually(async () => {
    const { messages } = await readThread(after, conversationId);
    expect(messages.at(-1)).toMatchObject({ id: next.answerId, status: 'done', text: 'Go on.' });
  });
  const billed = async () => parseUsd((await readTotal(after, conversationId)).testCreditsUsd);
  await eventually(async () => expect(await billed()).toBe(await chargedTo(after)));
  expect(await billed()).toBeGreaterThan(0n);
});

type Client = Awaited<ReturnType<WebProcess['connect']>>;

const testCredits = async (client: Client) => (await client.account.wallets()).find(({ id }) => id === 'sandbox');

/** Returns the test credits that the ledger has charged, in nano-USD. */
async function chargedTo(client: Client): Promise<bigint> {
  const { transactions } = await client.credits.get({ billingAccount: 'sandbox', limit: 100 });
  return transactions.data.reduce((sum, { type, amount }) => (type === 'usage' ? sum - parseUsd(amount) : sum), 0n);
}

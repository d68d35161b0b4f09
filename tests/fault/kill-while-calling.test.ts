import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtHosts } from '../hosts/built-hosts.ts';
import { answerYesTo } from '../support/answer-question.ts';
import { eventually } from '../support/eventually.ts';
import { readThread, readTotal } from '../support/read-thread.ts';
import { startWebProcess, type WebProcess } from '../support/web-process.ts';

const greeter = fileURLToPath(new URL('../support/mcp/greeter.ts', import.meta.url));
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

test('kill -9 while one tool waits and another runs marks both calls, runs nothing automatically, and the chats continue', async () => {
  web = await startWebProcess(main, ['--data-dir', dataDir]);
  answerYesTo(web.child.stdout as Readable);
  const before = await web.connect();
  await before.models.list();
  const transport = { type: 'stdio' as const, command: process.execPath, args: [greeter] };
  const { id } = await before.tools.addServer({ name: 'Greeter', transport });
  const { fingerprint } = await before.tools.testServer({ id });
  await before.tools.enableServer({ id, enabled: true, fingerprint });
  const model = 'sandbox/tools';
  const waits = await before.chat.send({ messageId: 'k1', text: 'Please greet somebody', model });
  const runs = await before.chat.send({ messageId: 'k2', text: 'Please wait', model });
  const getState = async (client: typeof before, { conversationId }: typeof waits) => {
    const { messages, runningIds } = await readThread(client, conversationId);
    return { runningIds, status: messages.at(-1)?.status, run: messages.at(-1)?.toolCalls[0]?.run };
  };
  const until = (started: typeof waits, state: string) =>
    eventually(async () => expect((await getState(before, started)).run?.state).toBe(state));
  await until(waits, 'waiting');
  await until(runs, 'waiting');
  await before.chat.decideTool({ messageId: runs.answerId, call: 0, decision: 'always' });
  await until(runs, 'running');
  await web.kill('SIGKILL');

  web = await startWebProcess(main, ['--data-dir', dataDir]);
  const after = await web.connect();
  const interrupted = { runningIds: [], status: 'interrupted' };
  expect(await getState(after, waits)).toMatchObject({ ...interrupted, run: { state: 'stopped', startedAt: null } });
  const ran = { state: 'stopped', startedAt: expect.any(Number), finishedAt: null };
  expect(await getState(after, runs)).toMatchObject({ ...interrupted, run: ran });
  await expect(after.chat.decideTool({ messageId: waits.answerId, call: 0, decision: 'once' })).rejects.toMatchObject({
    code: 'not_found',
  });
  const [server] = (await after.tools.list()).servers;
  expect(server).toMatchObject({ enabled: true, changed: false });

  // Continues with the results that exist: that the call was stopped, and whether it may have run.
  await after.chat.continue({ answerId: waits.answerId });
  await after.chat.continue({ answerId: runs.answerId });
  await eventually(async () => {
    for (const [{ conversationId }, words] of [
      [waits, 'stopped before the user had decided'],
      [runs, 'may have done its work'],
    ] as const) {
      const { messages } = await readThread(after, conversationId);
      expect(messages.at(-1)).toMatchObject({ status: 'done', text: expect.stringContaining(words) });
      const total = await readTotal(after, conversationId);
      expect(total).toMatchObject({ requests: 2, unknown: 0 });
      const { transactions } = await after.credits.get({ billingAccount: 'sandbox', limit: 100 });
      const ids = messages.flatMap(({ requestId }) => requestId ?? []);
      const lines = transactions.data.filter(({ request_id: request }) => request !== null && ids.includes(request));
      expect(lines).toHaveLength(2);
    }
  });
});

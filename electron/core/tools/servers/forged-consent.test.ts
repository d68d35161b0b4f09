import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { recorder } from '../../../../tests/support/recorder.ts';
import { testCore } from '../../../../tests/support/test-core.ts';
import { getFingerprint } from './fingerprint.ts';

/** Consent isn't stored in the database, so whoever can write to it can start nothing. */
const no = async () => false;

test('a server that an attacker wrote into the database as enabled and permitted is neither started nor offered', async () => {
  const first = await testCore();
  await first.core.close();
  const program = recorder();
  const db = new Sqlite(join(first.dataFolder, 'portico.db'));
  const transport = { ...program.transport(), variables: [] };
  const tool = { name: 'greet', title: 'greet', description: '', inputSchema: { type: 'object' }, readOnly: true };
  db.prepare("insert into tool_servers values ('s', 'x', ?, 1, ?, 'f', null, 0)").run(
    JSON.stringify(transport),
    JSON.stringify([tool]),
  );
  db.prepare("insert into tool_permissions values ('p', 's', 'greet', 'f', null, 0)").run();
  db.close();
  const { client, questions } = await coreOfTest({ confirm: no, dataFolder: first.dataFolder });
  const { tools } = client;
  const [server] = (await tools.list()).servers;
  expect(server).toMatchObject({ enabled: true, allowed: false });
  const fingerprint = server?.fingerprint ?? '';
  const on = tools.enableServer({ id: 's', enabled: true, fingerprint });
  await expect(on).rejects.toMatchObject({ code: 'not_confirmed' });
  await tools.testServer({ id: 's' }).catch(() => {});
  expect(program.hasRun()).toBe(false);
  expect(questions).toHaveLength(1);
});

test('consent for one program does not start another one that was put in its place with forged permissions, when a model calls it', async () => {
  const first = await testCore({ openGateway });
  const greeter = fileURLToPath(new URL('../../../../tests/support/mcp/greeter.ts', import.meta.url));
  const transport = { ...recorder().transport(), args: [greeter] };
  const { id } = await first.client.tools.addServer({ name: 'Greeter', transport });
  const { fingerprint } = await first.client.tools.testServer({ id });
  const { tools } = await first.client.tools.enableServer({ id, enabled: true, fingerprint });
  await first.core.close();
  const program = recorder();
  const other = { ...program.transport(), variables: [] };
  const forged = getFingerprint(other, tools);
  const db = new Sqlite(join(first.dataFolder, 'portico.db'));
  db.prepare('update tool_servers set transport = ?, seen_fingerprint = ?').run(JSON.stringify(other), forged);
  db.prepare("insert into tool_permissions values ('p', ?, 'greet', ?, null, 0)").run(id, forged);
  db.close();

  const { client, questions } = await coreOfTest({ confirm: no, dataFolder: first.dataFolder, openGateway });
  await client.models.list();
  expect((await client.tools.list()).servers[0]).toMatchObject({ enabled: true, allowed: true, changed: false });
  const asked = { messageId: randomUUID(), text: 'Please greet Ada', model: 'sandbox/tools' };
  const { conversationId } = await client.chat.send(asked);
  const messages = await chatEnded(client, conversationId);
  const [run] = messages.flatMap(({ toolCalls }) => toolCalls.map((call) => call.run));
  expect(run).toMatchObject({ state: 'failed', result: expect.stringContaining('agree') });
  expect([program.hasRun(), questions.length]).toEqual([false, 0]);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { disagreements } from '../support/ledger-agrees.ts';
import { readThread } from '../support/read-thread.ts';
import { startWebProcess } from '../support/web-process.ts';
import { builtHosts } from './built-hosts.ts';

/** Every end-to-end test ends with this comparison, so it has to find differences. */
test('a difference of a nano-dollar between a chat and the ledger is found', async () => {
  const { webMain } = await builtHosts();
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-ledger-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const web = await startWebProcess(webMain, ['--data-dir', dataFolder]);
  onTestFinished(async () => void (await web.kill('SIGKILL')));
  const client = await web.connect();
  const { conversationId, answerId } = await client.chat.send({ messageId: 'm1', text: 'Hi', model: 'sandbox/echo' });
  const answer = async () => (await readThread(client, conversationId)).messages[1];
  await expect.poll(answer).toMatchObject({ status: 'done', costSource: 'billed' });
  await web.kill('SIGTERM');
  expect(disagreements(dataFolder)).toEqual([]);

  change(dataFolder, 'gateway.db', "update ledger_entries set amount = amount - 1 where type = 'usage'");
  expect(disagreements(dataFolder)).toEqual([
    expect.stringMatching(new RegExp(`^${answerId} says 0.0\\d+, req_\\w+ was charged 0.0\\d+$`)),
    expect.stringMatching(new RegExp(`^chat ${conversationId} sums up to 0.0\\d+, the ledger to 0.0\\d+$`)),
  ]);
  change(dataFolder, 'portico.db', 'delete from spend');
  expect(disagreements(dataFolder)).toEqual([expect.stringMatching(/was charged 0.0\d+ and is in no chat$/)]);
});

function change(dataFolder: string, file: string, statement: string): void {
  const db = new Sqlite(join(dataFolder, file));
  // Triggers keep ledger entries append-only and make a chat's spend follow its messages, so they are dropped first.
  for (const { name } of db.prepare("select name from sqlite_master where type = 'trigger'").all() as {
    name: string;
  }[])
    db.exec(`drop trigger ${name}`);
  expect(db.prepare(statement).run().changes).toBe(1);
  db.close();
}

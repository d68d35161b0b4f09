import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { coreOfTest } from '../../../tests/support/core-of-test.ts';
import { figure } from '../../../tests/support/figures.ts';
import { readThread } from '../../../tests/support/read-thread.ts';
import { testCore } from '../../../tests/support/test-core.ts';
import { nameAt } from './backup-files.ts';

/** A database that someone else made must not make the app read or delete files, run anything, or call other servers. */

const secret = 'canary of a file outside';
/** Leads from `attachments/ab/…` to a file next to the data folder. */
const outside = '../../../outside.txt';
const proxied = {
  proxy: 'fixed' as const,
  address: 'http://127.0.0.1:9',
  username: '',
  bypass: '',
  certificates: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
};

async function withChat() {
  const core = await coreOfTest();
  core.gateway.script = async function* () {
    yield 'An answer.';
  };
  const send = async (messageId: string, text: string) => {
    const { conversationId } = await core.client.chat.send({ messageId, text, model: 'openai/gpt' });
    await expect
      .poll(async () => (await readThread(core.client, conversationId)).conversation.live, { interval: 5 })
      .toBe(false);
    return conversationId;
  };
  const conversationId = await send('m1', 'first');
  const [made] = (await core.client.backup.make()).backups;
  const backups = join(core.dataFolder, 'backups');
  return { ...core, conversationId, backups, good: join(backups, made?.name ?? '') };
}

const attached = JSON.stringify([
  { id: outside, name: 'x', kind: 'text', mediaType: 'text/plain', bytes: 9, tokens: 1 },
]);
const network = JSON.stringify(proxied).replaceAll("'", "''");

const changes: readonly (readonly [string, string])[] = [
  ['a trigger', `create trigger evil after insert on messages begin delete from settings; end`],
  [
    'a trigger with the name of ours',
    `drop trigger TRIGGER; create trigger TRIGGER after insert on messages begin delete from settings; end`,
  ],
  ['a view', `create view evil as select * from settings`],
  ['a virtual table', `create virtual table evil using fts5(text)`],
  ['a message with a path for a file', `update messages set attachments = '${attached}'`],
  [
    'a record of a file with a path',
    `insert into attachments (id, kind, media_type, bytes, tokens, used_at) values ('${outside}', 'text', 'text/plain', 9, 1, 0)`,
  ],
  ['an id in capitals', `update messages set attachments = '[{"id":"${'A'.repeat(64)}"}]'`],
  ['a file without an id', `update messages set attachments = '[{}]'`],
  ['attachments that are no JSON', `update messages set attachments = 'nonsense'`],
  ['settings that are no JSON', `insert into settings values ('x', 'nonsense')`],
];

test('a backup with content that no version of the app wrote is refused, and nothing changes', async () => {
  const { client, backups, good } = await withChat();
  for (const [serial, [what, statement]] of changes.entries()) {
    const name = nameAt('manual', serial + 1);
    copyFileSync(good, join(backups, name));
    const db = new Sqlite(join(backups, name));
    const ours = db.prepare("select name from sqlite_schema where type = 'trigger' limit 1").pluck().get();
    db.exec(statement.replaceAll('TRIGGER', String(ours)));
    db.close();
    const refused = await client.backup.restore({ name }).catch((error: unknown) => error);
    expect(refused, what).toMatchObject({ code: 'backup_unusable' });
  }
  figure('foreign backups', `${changes.length} backups with what no version wrote, all refused`);
  expect((await client.conversations.list({})).conversations).toHaveLength(1);
});

const rows: readonly (readonly [string, string, string])[] = [
  ['a message that is its own parent', 'update messages set parent_id = id', 'messages'],
  [
    'parents in a cycle',
    'update messages set parent_id = (select id from messages m where m.seq <> messages.seq)',
    'messages',
  ],
  [
    'a parent in another chat',
    `insert into conversations (id, title, model, created_at, updated_at) values ('x', 'x', 'x/x', 0, 0);
      update messages set conversation_id = 'x' where parent_id is null`,
    'messages',
  ],
  [
    'a chat that shows a message of another',
    `insert into conversations (id, title, model, created_at, updated_at, active_leaf)
      select 'x', 'x', 'x/x', 0, 0, id from messages limit 1`,
    'conversations',
  ],
  ['usage that is a number', "update messages set usage = '-5'", 'messages'],
  ['tool calls of another shape', `update messages set tool_calls = '[{"id":5}]'`, 'messages'],
  ['citations that are no JSON', "update messages set citations = 'nonsense'", 'messages'],
  ['an amount that is none', "update messages set cost_usd = 'abc'", 'messages'],
  ['a spend that is no amount', "update spend set cost_usd = 'abc'", 'spend'],
  ['a cell larger than any row', "update messages set error = printf('%.*c', 40000000, 'x')", 'messages'],
  [
    'a chat in a folder that is not there',
    "pragma foreign_keys = off; update conversations set folder_id = 'gone'",
    'conversations',
  ],
  ['a scroll position of another shape', "update conversations set place = '5'", 'conversations'],
  [
    'a queued message for no models',
    `insert into queued_messages (id, conversation_id, text, attachments, model, compare)
      select 'q', id, 'x', '[]', 'x/x', '{}' from conversations`,
    'queued_messages',
  ],
];

test('a backup with a row that the app cannot read is refused, and the table and the row are named', async () => {
  const { client, backups, good } = await withChat();
  for (const [serial, [what, statement, table]] of rows.entries()) {
    const name = nameAt('manual', serial + 1);
    copyFileSync(good, join(backups, name));
    new Sqlite(join(backups, name)).exec(statement).close();
    const refused = await client.backup.restore({ name }).catch((error: unknown) => error);
    expect(refused, what).toMatchObject({ code: 'backup_unusable', data: { refusal: { values: { table } } } });
    expect(String(refused), what).toMatch(new RegExp(`cannot read row \\d+ of its table "${table}"`));
  }
  expect((await client.conversations.list({})).conversations).toHaveLength(1);
});

test('a chat with rows that the app cannot read can still be left for a good backup', async () => {
  const { client, good, dataFolder } = await withChat();
  new Sqlite(join(dataFolder, 'portico.db')).exec("update messages set usage = '-5', parent_id = id").close();
  await client.backup.restore({ name: basename(good) });
  const [chat] = (await client.conversations.list({})).conversations;
  expect((await readThread(client, chat?.id ?? '')).messages).toHaveLength(2);
});

test('a restore brings neither proxy nor certificate along and keeps the current ones', async () => {
  const { client, backups, good, dataFolder, core } = await withChat();
  const own = { ...proxied, address: 'http://proxy.example:3128', certificates: '' } as const;
  await client.network.set(own);
  const name = nameAt('manual', 1);
  copyFileSync(good, join(backups, name));
  new Sqlite(join(backups, name)).exec(`insert into settings values ('network', '${network}')`).close();
  await client.backup.restore({ name });
  expect(await client.network.get()).toMatchObject(own);
  await core.close();
  const again = await testCore({ dataFolder });
  expect(await again.client.network.get()).toMatchObject(own);
  await again.core.close();
});

test('a database that was replaced by hand brings no network settings, and no file outside is read or deleted', async () => {
  const { dataFolder, core, conversationId } = await withChat();
  await core.close();
  const file = join(dataFolder, 'outside.txt');
  writeFileSync(file, secret);
  // A path through a folder works only if the folder exists.
  mkdirSync(join(dataFolder, 'attachments', '..'), { recursive: true });
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  for (const id of ['../../outside.txt', '../outside.txt', outside]) {
    db.exec(
      `insert into attachments (id, kind, media_type, bytes, tokens, used_at) values ('${id}', 'text', 'text/plain', 9, 1, 0)`,
    );
  }
  const named = [{ id: '../../outside.txt', name: 'x', kind: 'text', mediaType: 'text/plain', bytes: 9, tokens: 1 }];
  db.prepare("update messages set attachments = ? where role = 'user'").run(JSON.stringify(named));
  db.exec(`insert into settings values ('network', '${network}')`);
  db.close();

  const again = await coreOfTest({ dataFolder });
  const bodies: string[] = [];
  again.gateway.script = async function* (request: unknown) {
    bodies.push(JSON.stringify(request));
    yield 'Another answer.';
  };
  expect(await again.client.network.get()).toMatchObject({ proxy: 'system', certificates: '' });
  const asked = await again.client.chat
    .send({ messageId: 'm9', conversationId, text: 'And now?', model: 'openai/gpt' })
    .catch((error: unknown) => error);
  if (!(asked instanceof Error))
    await expect
      .poll(async () => (await readThread(again.client, conversationId)).conversation.live, { interval: 5 })
      .toBe(false);
  expect(bodies.join()).not.toContain(secret);
  expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(secret);
});

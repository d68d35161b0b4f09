import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { GatewayOptions } from '#gateway/gateway.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { AppError } from '#shared/errors.ts';
import { readThread } from '../../../tests/support/read-thread.ts';
import { testCore } from '../../../tests/support/test-core.ts';
import { unusedDataFolder } from '../../../tests/support/unused-data.ts';
import { recoveryOffer } from '../storage/database/recovery.ts';
import { nameAt } from './backup-files.ts';

async function openFolder() {
  const dataFolder = await unusedDataFolder();
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  return { dataFolder, file: join(dataFolder, 'portico.db'), backups: join(dataFolder, 'backups') };
}

type Options = NonNullable<Parameters<typeof testCore>[0]>;

async function withCore<Value>(options: Options, use: (core: Awaited<ReturnType<typeof testCore>>) => Promise<Value>) {
  const opened = await testCore(options);
  try {
    return await use(opened);
  } finally {
    await opened.core.close();
  }
}

/** Creates two chats before the damage. The first one is in the backup; the second was written after it. */
async function twoChats(dataFolder: string, backup = true): Promise<void> {
  await withCore({ dataFolder }, async ({ client, gateway }) => {
    gateway.script = async function* () {
      yield 'An answer.';
    };
    const ask = async (messageId: string, text: string) => {
      const { conversationId } = await client.chat.send({ messageId, text, model: 'openai/gpt' });
      await expect.poll(async () => (await readThread(client, conversationId)).conversation.live).toBe(false);
    };
    await ask('m1', 'first');
    if (backup) await client.backup.make();
    await ask('m2', 'second');
  });
}

const titles = (options: Options) =>
  withCore(options, async ({ client }) =>
    (await client.conversations.list({})).conversations.map(({ title }) => title).sort(),
  );

const failure = (dataFolder: string): Promise<AppError> =>
  testCore({ dataFolder }).then(
    () => {
      throw new Error('it opened');
    },
    (error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    },
  );

const removeLog = (file: string) => {
  for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true });
};

const damages: readonly [what: string, why: string, damage: (file: string) => void][] = [
  ['overwritten with text', 'damaged', (file) => writeFileSync(file, 'This was a database once. '.repeat(400))],
  ['emptied', 'damaged', (file) => writeFileSync(file, '')],
  ['cut off in its first pages', 'damaged', (file) => writeFileSync(file, readFileSync(file).subarray(0, 6_000))],
  ['overwritten in the middle of its tables', 'damaged', (file) => writeFileSync(file, scrambled(readFileSync(file)))],
  [
    'made by a newer version',
    'newer',
    (file) => new Sqlite(file).exec("insert into kysely_migration values ('999-later', '')").close(),
  ],
  [
    'a folder',
    'unreadable',
    (file) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
];

/** Overwrites everything except the header, which identifies a database. */
const scrambled = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0x5a)]);

test.each(damages)(
  'a database that is %s is reported as %s, kept, and replaced by the newest backup',
  async (_, why, damage) => {
    const { dataFolder, file } = await openFolder();
    await twoChats(dataFolder);
    removeLog(file);
    damage(file);
    const error = await failure(dataFolder);
    expect(error).toMatchObject({ code: 'database_unusable', refusal: { values: { file, why } } });
    expect(error.message).toContain(file);
    expect(recoveryOffer(error)).toEqual({ of: 'chats', fault: why, backupAt: expect.any(Number) });
    // Nothing was changed automatically: the next start reports the same error.
    expect((await failure(dataFolder)).message).toBe(error.message);
    expect(await titles({ dataFolder, recovery: 'newest-backup' })).toEqual(['first']);
    const kept = readdirSync(dataFolder).filter((name) => name.startsWith('unusable-'));
    expect(kept.length).toBeGreaterThan(0);
    expect(await titles({ dataFolder })).toEqual(['first']);
  },
);

test('damage that is found during use is reported, and the next start offers the newest backup', async () => {
  const { dataFolder, file } = await openFolder();
  const long = 'Such words fill pages of their own. '.repeat(6_000);
  const conversationId = await withCore({ dataFolder }, async ({ client, gateway }) => {
    gateway.script = async function* () {
      yield long;
    };
    const sent = await client.chat.send({ messageId: 'm1', text: 'first', model: 'openai/gpt' });
    await expect.poll(async () => (await readThread(client, sent.conversationId)).conversation.live).toBe(false);
    await client.backup.make();
    return sent.conversationId;
  });
  removeLog(file);
  const bytes = readFileSync(file);
  // A page in the middle of the answer names the next one in its first bytes.
  const page = Math.floor((bytes.lastIndexOf('pages of their own. Such words') - 60_000) / 4096) * 4096;
  writeFileSync(file, Buffer.concat([bytes.subarray(0, page), Buffer.alloc(4, 0xff), bytes.subarray(page + 4)]));
  await withCore({ dataFolder }, async ({ client }) => {
    expect((await client.conversations.list({})).conversations).toHaveLength(1);
    await expect(readThread(client, conversationId)).rejects.toMatchObject({
      code: 'database_unusable',
      message: expect.stringContaining('start it again'),
    });
  });
  expect(recoveryOffer(await failure(dataFolder))).toMatchObject({ of: 'chats', fault: 'damaged' });
  await withCore({ dataFolder, recovery: 'newest-backup' }, async ({ client }) => {
    expect((await readThread(client, conversationId)).messages.at(-1)?.text).toBe(long);
  });
  expect(await titles({ dataFolder })).toEqual(['first']);
  expect(readdirSync(dataFolder)).not.toContain('portico.db.suspect');
});

test('damage that is found late during a start offers the newest backup as well', async () => {
  const { dataFolder, file } = await openFolder();
  await twoChats(dataFolder);
  const database = new Sqlite(file);
  const roots = database.prepare("select rootpage from sqlite_schema where tbl_name = 'model_lists'").pluck().all();
  database.close();
  removeLog(file);
  const bytes = readFileSync(file);
  for (const root of roots) bytes.fill(0xff, (Number(root) - 1) * 4096, Number(root) * 4096);
  writeFileSync(file, bytes);
  expect(recoveryOffer(await failure(dataFolder))).toMatchObject({ of: 'chats', fault: 'damaged' });
  expect(await titles({ dataFolder, recovery: 'newest-backup' })).toEqual(['first']);
});

test('an empty database without a backup is a new one, and one start names it', async () => {
  const dataFolder = await unusedDataFolder();
  const path = join(dataFolder, 'portico.db');
  writeFileSync(path, '');
  const first = await testCore({ dataFolder });
  expect(first.core.notices).toMatchObject([{ refusal: { name: 'databaseEmptied', values: { path } } }]);
  await first.core.close();
  const second = await testCore({ dataFolder });
  expect(second.core.notices).toEqual([]);
  await second.core.close();
});

test('damaged backups are skipped', async () => {
  const { dataFolder, file, backups } = await openFolder();
  await twoChats(dataFolder);
  writeFileSync(join(backups, nameAt('auto', Date.now() + 60_000)), 'no database');
  removeLog(file);
  writeFileSync(file, 'noise');
  expect(await titles({ dataFolder, recovery: 'newest-backup' })).toEqual(['first']);
});

test('a recovery that was interrupted after the old file was set aside continues with the next start', async () => {
  const { dataFolder, file, backups } = await openFolder();
  await twoChats(dataFolder);
  removeLog(file);
  const [backup = ''] = readdirSync(backups).filter((name) => name.endsWith('.db'));
  copyFileSync(join(backups, backup), `${file}.part`);
  renameSync(file, join(dataFolder, 'unusable-2026-11-27T00-00-00-000Z.db'));
  expect(await titles({ dataFolder })).toEqual(['first']);
  expect(readdirSync(dataFolder)).not.toContain('portico.db.part');
});

test('an interrupted copy of a backup never replaces the database', async () => {
  const { dataFolder, file } = await openFolder();
  await twoChats(dataFolder);
  writeFileSync(`${file}.part`, 'half');
  expect(await titles({ dataFolder })).toEqual(['first', 'second']);
  expect(readdirSync(dataFolder)).not.toContain('portico.db.part');
});

test('a ledger recovery that was interrupted before the old file was set aside is offered again', async () => {
  const { dataFolder } = await openFolder();
  const ledger = join(dataFolder, 'gateway.db');
  const real = { dataFolder, openGateway: (options: GatewayOptions) => openGateway(options) };
  const name = await withCore(real, async ({ client }) => (await client.ledger.backUp()).backups[0]?.name ?? '');
  const copies = join(dataFolder, 'backups', 'ledger');
  copyFileSync(join(copies, name), join(copies, `${name}.next`));
  removeLog(ledger);
  writeFileSync(ledger, 'This was a ledger once. '.repeat(400));
  const error = await testCore(real).catch((thrown: unknown) => thrown);
  expect(recoveryOffer(error)).toEqual({ of: 'ledger', fault: 'damaged', backupAt: expect.any(Number) });
  expect(await titles({ ...real, recovery: 'newest-backup' })).toEqual([]);
});

test('without a backup an empty database replaces the damaged one, which is kept', async () => {
  const { dataFolder, file } = await openFolder();
  await twoChats(dataFolder, false);
  removeLog(file);
  writeFileSync(file, 'noise');
  expect(recoveryOffer(await failure(dataFolder))).toEqual({ of: 'chats', fault: 'damaged', backupAt: null });
  await expect(testCore({ dataFolder, recovery: 'newest-backup' })).rejects.toThrow('No backup is intact');
  expect(readFileSync(file, 'utf8')).toBe('noise');
  expect(await titles({ dataFolder, recovery: 'new-database' })).toEqual([]);
  const [kept = ''] = readdirSync(dataFolder).filter((name) => name.startsWith('unusable-'));
  expect(readFileSync(join(dataFolder, kept), 'utf8')).toBe('noise');
});

test('an intact database opens as before, also after a crash, with and without backups', async () => {
  const { dataFolder } = await openFolder();
  await twoChats(dataFolder);
  expect(await titles({ dataFolder })).toEqual(['first', 'second']);
  expect(await titles({ dataFolder, recovery: null })).toEqual(['first', 'second']);
});

test.each([
  ['its backup replaces it, and the damaged one is kept', true],
  ['without a backup an empty one replaces it', false],
])('a ledger that cannot be opened is distinguished from the chats: %s', async (_, hasCopy) => {
  const { dataFolder } = await openFolder();
  const ledger = join(dataFolder, 'gateway.db');
  const real = { dataFolder, openGateway: (options: GatewayOptions) => openGateway(options) };
  await withCore(real, async ({ client }) => {
    if (hasCopy) await client.ledger.backUp();
  });
  removeLog(ledger);
  writeFileSync(ledger, 'This was a ledger once. '.repeat(400));
  const error = await testCore(real).catch((thrown: unknown) => thrown);
  expect(recoveryOffer(error)).toEqual({
    of: 'ledger',
    fault: 'damaged',
    backupAt: hasCopy ? expect.any(Number) : null,
  });
  if (!hasCopy) {
    await expect(testCore({ ...real, recovery: 'newest-backup' })).rejects.toThrow('No backup is intact');
    expect(readFileSync(ledger, 'utf8')).toMatch(/^This was a ledger once/);
  }
  expect(await titles({ ...real, recovery: hasCopy ? 'newest-backup' : 'new-database' })).toEqual([]);
  expect(readdirSync(dataFolder).filter((name) => name.startsWith('unusable-ledger-')).length).toBeGreaterThan(0);
  expect(await titles(real)).toEqual([]);
});

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Backup } from '#shared/contract/app/backup.ts';
import { coreOfTest, type TestCoreOptions } from '../../../tests/support/core-of-test.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { openFilesIn } from '../../../tests/support/open-files.ts';
import { readThread } from '../../../tests/support/read-thread.ts';
import { testCore } from '../../../tests/support/test-core.ts';
import { keptDaily, keptWeekly, nameAt, outdated } from './backup-files.ts';

const dayMs = 86_400_000;

async function start(options: TestCoreOptions = {}) {
  const core = await coreOfTest(options);
  core.gateway.script = async function* () {
    yield 'An answer.';
  };
  const ask = async (messageId: string, text: string) => {
    const { conversationId } = await core.client.chat.send({ messageId, text, model: 'openai/gpt' });
    await expect
      .poll(async () => (await readThread(core.client, conversationId)).conversation.live, {
        interval: 5,
      })
      .toBe(false);
    return conversationId;
  };
  const titles = async () => (await core.client.conversations.list({})).conversations.map(({ title }) => title);
  return { ...core, ask, titles, backups: join(core.dataFolder, 'backups') };
}

test('a restore brings back the backup, saves the current state as a backup, and work continues', async () => {
  const { client, ask, titles, backups } = await start();
  const first = await ask('m1', 'first');
  const { backups: made } = await client.backup.make();
  expect(made).toMatchObject([{ kind: 'manual', bytes: expect.any(Number) }]);
  await ask('m2', 'second');
  await client.conversations.rename({ id: first, title: 'renamed' });
  const after = await client.backup.restore({ name: made[0]?.name ?? '' });
  expect(after.backups.map(({ kind }) => kind).sort()).toEqual(['before-restore', 'manual']);
  expect(await titles()).toEqual(['first']);
  await ask('m3', 'third');
  expect((await titles()).sort()).toEqual(['first', 'third']);
  expect((await client.search.find({ query: 'third' })).hits.length).toBeGreaterThan(0);
  expect((await client.search.find({ query: 'second' })).hits).toEqual([]);

  const safety = after.backups.find(({ kind }) => kind === 'before-restore')?.name ?? '';
  await client.backup.restore({ name: safety });
  expect((await titles()).sort()).toEqual(['renamed', 'second']);
  expect(readdirSync(backups).filter((name) => !name.endsWith('.db'))).toEqual([]);
});

test('a damaged, a foreign and a newer backup are refused, and nothing changes', async () => {
  const { client, ask, titles, backups } = await start();
  await ask('m1', 'first');
  const { backups: made } = await client.backup.make();
  const good = readFileSync(join(backups, made[0]?.name ?? ''));
  await ask('m2', 'second');
  const names = [1, 2, 3, 4].map((serial) => nameAt('manual', serial));
  const [damaged = '', foreign = '', newer = '', noise = ''] = names.map((name) => join(backups, name));
  writeFileSync(damaged, Buffer.concat([good.subarray(0, 20_000), Buffer.alloc(20_000, 7), good.subarray(40_000)]));
  writeFileSync(noise, 'no database at all');
  new Sqlite(foreign).exec('create table notes (text)').close();
  writeFileSync(newer, good);
  new Sqlite(newer).exec("insert into kysely_migration values ('999-later', '')").close();
  const refusals = await Promise.all(
    names.map((name) => client.backup.restore({ name }).catch((error: unknown) => error)),
  );
  const unusable = (why: string) => ({ code: 'backup_unusable', message: expect.stringContaining(why) });
  expect(refusals).toMatchObject([
    unusable('damaged'),
    unusable('no database of Portico'),
    unusable('newer'),
    unusable(''),
  ]);
  expect((await titles()).sort()).toEqual(['first', 'second']);
  for (const name of ['../portico.db', 'portico.db', 'auto-1.db/../../portico.db']) {
    await expect(client.backup.restore({ name })).rejects.toMatchObject({ code: 'invalid_input' });
  }
  await expect(client.backup.restore({ name: nameAt('auto', 5) })).rejects.toMatchObject({ code: 'not_found' });
});

test('a start makes a backup only if a day has passed and something was written', async () => {
  const wall = Date.now();
  let time = wall - 2 * dayMs;
  const first = await start({ now: () => time });
  await first.ask('m1', 'first');
  const { dataFolder } = first;
  await first.core.close();
  /** Counts the automatic backups after a start. The manual backup waits for the one that is due. */
  const automatic = async () => {
    const again = await testCore({ dataFolder, now: () => time });
    await again.client.backup.make();
    const { backups } = await again.client.backup.list();
    await again.core.close();
    return backups.filter(({ kind }) => kind === 'auto').length;
  };
  expect(await automatic()).toBe(1);
  time += dayMs / 2;
  expect(await automatic()).toBe(1);
  time = wall + 10 * dayMs;
  expect(await automatic()).toBe(2);
  // The file's modification time is the machine's, so nothing was written after the last backup.
  time = wall + 12 * dayMs;
  expect(await automatic()).toBe(2);
});

test('a folder that cannot be written to is reported, and the next successful backup clears the problem', async () => {
  const { client, ask, backups } = await start();
  await ask('m1', 'first');
  rmSync(backups, { recursive: true, force: true });
  writeFileSync(backups, 'a file where the folder should be');
  await expect(client.backup.make()).rejects.toMatchObject({
    code: 'backup_failed',
    message: expect.stringContaining('cannot be written'),
  });
  rmSync(backups);
  mkdirSync(backups);
  chmodSync(backups, 0o700);
  expect((await client.backup.make()).problem).toBeNull();
});

test('an incomplete copy does not become a backup and is removed', async () => {
  const { client, ask, backups, dataFolder } = await start();
  await ask('m1', 'first');
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  db.pragma('foreign_keys = OFF');
  db.exec("update messages set conversation_id = 'nobody'");
  db.close();
  await expect(client.backup.make()).rejects.toMatchObject({
    code: 'backup_failed',
    data: { refusal: { name: 'copyNotKept', values: { why: 'damaged' } } },
  });
  expect(readdirSync(backups).filter((name) => name.includes('.db'))).toEqual([]);
});

test('a copy that cannot be finished is removed and closed', async () => {
  const { client, ask, backups, dataFolder } = await start();
  await ask('m1', 'first');
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  db.exec('alter table conversations rename column temporary to renamed');
  await expect(client.backup.make()).rejects.toMatchObject({ code: 'backup_failed' });
  expect(readdirSync(backups)).toEqual([]);
  expect(openFilesIn(backups)).toEqual([]);
  db.exec('alter table conversations rename column renamed to temporary');
  db.close();
  expect((await client.backup.make()).backups).toHaveLength(1);
});

describe('attached files', () => {
  const bytes = Buffer.from('# Notes that a chat came with\n');
  /** Creates a chat with a file. Returns where that file is, in use and in the backups. */
  async function withFile() {
    const started = await start();
    const piece = { uploadId: 'u1', name: 'notes.md', offset: 0, totalBytes: bytes.length };
    const { attachment } = await started.client.attachments.upload({ ...piece, data: bytes.toString('base64') });
    if (!attachment) throw new Error('the file was not taken');
    const { client, dataFolder, backups } = started;
    const sent = { messageId: 'm1', text: 'See this', model: 'openai/gpt', attachments: [attachment] };
    const { conversationId } = await client.chat.send(sent);
    await expect
      .poll(async () => (await readThread(client, conversationId)).conversation.live, { interval: 5 })
      .toBe(false);
    const { id } = attachment;
    return {
      ...started,
      id,
      conversationId,
      inUse: join(dataFolder, 'attachments', id.slice(0, 2), id),
      kept: join(backups, 'files', id.slice(0, 2), id),
      make: async () => (await client.backup.make()).backups[0]?.name ?? '',
      read: async () => Buffer.from((await client.attachments.read({ id, offset: 0 })).data, 'base64'),
    };
  }

  test('are in a backup once, without a second copy on the disk, and are restored with it', async () => {
    const { client, make, read, inUse, kept } = await withFile();
    const first = await make();
    await make();
    expect(statSync(kept).ino).toBe(statSync(inUse).ino);
    rmSync(inUse);
    await expect(read()).rejects.toMatchObject({ code: 'not_found' });
    expect(await client.backup.restore({ name: first })).toMatchObject({ missingFiles: 0, problem: null });
    expect((await read()).equals(bytes)).toBe(true);
    writeFileSync(inUse, 'damaged in the meantime');
    rmSync(kept);
    writeFileSync(kept, bytes);
    expect(await client.backup.restore({ name: first })).toMatchObject({ missingFiles: 0 });
    expect((await read()).equals(bytes)).toBe(true);
  });

  test('are not restored from a damaged backup copy, and are reported as missing', async () => {
    const { client, make, read, inUse, kept } = await withFile();
    const name = await make();
    rmSync(inUse);
    rmSync(kept);
    writeFileSync(kept, 'not what its name says');
    expect(await client.backup.restore({ name })).toMatchObject({ missingFiles: 1 });
    await expect(read()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('are removed with the last backup that references them, but not while an unreadable backup may reference them', async () => {
    const { core, client, make, kept, backups, dataFolder, conversationId } = await withFile();
    const [first, second] = [await make(), await make()];
    await client.backup.remove({ name: first });
    const gone = await client.backup.remove({ name: second });
    expect(gone.backups).toEqual([]);
    expect(existsSync(kept)).toBe(true);
    const back = await client.backup.putBack({ name: second });
    expect(back.backups.map(({ name }) => name)).toEqual([second]);
    expect(await client.backup.restore({ name: second })).toMatchObject({ missingFiles: 0 });
    await expect(client.backup.putBack({ name: second })).rejects.toMatchObject({ code: 'not_found' });

    const unreadable = join(backups, nameAt('manual', 7));
    writeFileSync(unreadable, 'no database');
    for (const { name } of (await client.backup.list()).backups) await client.backup.remove({ name });
    expect(readdirSync(backups).filter((name) => name.endsWith('.removed')).length).toBeGreaterThan(2);
    await client.conversations.remove({ id: conversationId });
    await core.close();
    await start({ dataFolder });
    await eventually(async () => expect(readdirSync(backups).filter((name) => name.endsWith('.removed'))).toEqual([]));
    await eventually(async () => expect(existsSync(kept)).toBe(false));
  });
});

test('a backup contains no key', async () => {
  const { client, backups, ask } = await start();
  const canary = 'sk-canary-0123456789abcdef';
  await client.providers.setKey({ id: 'openai', key: canary }).catch(() => {});
  await ask('m1', 'first');
  const { backups: made } = await client.backup.make();
  const bytes = readFileSync(join(backups, made[0]?.name ?? ''));
  for (const spelling of [canary, Buffer.from(canary).toString('base64'), Buffer.from(canary).toString('hex')]) {
    expect(bytes.includes(spelling)).toBe(false);
  }
});

describe('of the automatic backups', () => {
  const createBackup = (timeMs: number, kind: Backup['kind'] = 'auto'): Backup => ({
    name: nameAt(kind, timeMs),
    kind,
    createdAt: timeMs,
    bytes: 1,
  });

  test('seven days and four weeks are kept, however long daily backups go on', () => {
    let kept: Backup[] = [];
    for (let day = 20_000; day < 20_400; day++) {
      kept = [...kept, createBackup(day * dayMs + 3_600_000)];
      const old = new Set(outdated(kept));
      kept = kept.filter((backup) => !old.has(backup));
    }
    const ages = kept.map((backup) => 20_399 - Math.floor(backup.createdAt / dayMs)).sort((a, b) => a - b);
    expect(ages.slice(0, keptDaily)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(kept.length).toBeLessThanOrEqual(keptDaily + keptWeekly);
    // These are the newest of this week and of the three before it, so the oldest is two to three weeks old.
    expect(ages.at(-1)).toBeGreaterThanOrEqual(14);
  });

  test('the newest is always kept, and no manual backup is ever dropped', () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 400 * 24 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(times, fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), (hours, byHand) => {
        const all = hours.map((hour, index) => createBackup(hour * 3_600_000, byHand[index] ? 'manual' : 'auto'));
        const old = outdated(all);
        expect(old.every((backup) => backup.kind === 'auto')).toBe(true);
        const newest = all.filter((backup) => backup.kind === 'auto').toSorted((a, b) => b.createdAt - a.createdAt)[0];
        expect(newest && old.includes(newest)).toBeFalsy();
      }),
    );
  });
});

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExportedConversation, ExportedFile } from '#shared/contract/chat/exported-conversation.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { seed } from '../../../tests/seed/seed.ts';
import { readThread } from '../../../tests/support/read-thread.ts';
import { testCore } from '../../../tests/support/test-core.ts';
import { uploaded } from '../../../tests/support/upload-import.ts';

type Core = Awaited<ReturnType<typeof testCore>>;
let core: Core;
let empty: Core;
beforeAll(async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-transfer-'));
  await seed({
    dataFolder,
    conversations: 6,
    messages: 100,
    long: 0,
    requests: null,
    seed: 9,
    force: false,
    nowMs: Date.UTC(2026, 5, 1),
  });
  core = await testCore({ dataFolder });
  empty = await testCore();
  const files = [await attached(core, 'dot.png', dot), await attached(core, 'notes.md', Buffer.from('# Notes\n'))];
  nameFiles(dataFolder, files);
});
afterAll(async () => {
  await core.close();
  await empty.close();
});

/** The smallest picture possible: one pixel. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

async function attached({ client }: Core, name: string, bytes: Buffer): Promise<Attachment> {
  const piece = { uploadId: name, name, offset: 0, totalBytes: bytes.length, data: bytes.toString('base64') };
  const { attachment } = await client.attachments.upload(piece);
  if (!attachment) throw new Error(`${name} was not taken`);
  return attachment;
}

/** Attaches these files to two questions in different chats. */
function nameFiles(dataFolder: string, files: readonly Attachment[]): void {
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  db.exec("update messages set attachments = '[]'");
  db.prepare(
    `update messages set attachments = ? where id in
      (select min(id) from messages where role = 'user' and parent_id is null group by conversation_id limit 2)`,
  ).run(JSON.stringify(files));
  db.close();
}

test('a file that the system opened is copied once, and nothing is imported before the user confirms', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-opened-'));
  const path = join(folder, 'Week.portico');
  writeFileSync(path, await exported(core, 'json'), { mode: 0o400 });
  const files = new Map([
    ['chats', path],
    ['gone', join(folder, 'gone.portico')],
    ['folder', folder],
  ]);
  const target = await testCore({
    async openedFile(fileId) {
      const found = files.get(fileId) ?? null;
      files.delete(fileId);
      return found;
    },
  });
  const { transfer, conversations } = target.client;
  await expect(transfer.openFile({ fileId: 'other' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(transfer.openFile({ fileId: 'gone' })).rejects.toThrow('gone.portico is not there any more');
  await expect(transfer.openFile({ fileId: 'folder' })).rejects.toMatchObject({ code: 'import_refused' });

  const { uploadId, name } = await transfer.openFile({ fileId: 'chats' });
  await expect(transfer.openFile({ fileId: 'chats' })).rejects.toMatchObject({ code: 'not_found' });
  rmSync(path);
  const { conversations: found } = await transfer.previewImport({ uploadId });
  expect({ name, found: found.length }).toEqual({ name: 'Week.portico', found: 6 });
  expect((await conversations.list({})).conversations).toEqual([]);
  expect(await transfer.commitImport({ uploadId, sourceIds: null })).toMatchObject({ imported: 6 });
  expect(readdirSync(join(target.dataFolder, 'imports'))).toEqual([]);
  await target.close();
});

async function exported(from: Core, format: 'json' | 'html' | 'markdown', only?: string[]): Promise<string> {
  const all = [
    ...(await from.client.conversations.list({ limit: 500 })).conversations,
    ...(await from.client.conversations.list({ limit: 500, view: 'archived' })).conversations,
  ];
  let file = '';
  for await (const { text } of await from.client.transfer.export({
    ids: only ?? all.map(({ id }) => id).sort(),
    format,
  })) {
    file += text;
  }
  return file;
}

const getContents = (file: string) =>
  (JSON.parse(file) as { contents: (ExportedConversation | ExportedFile)[] }).contents;
const getConversations = (file: string) => getContents(file).filter((item) => 'messages' in item);
const getFiles = (file: string) => getContents(file).filter((item) => 'base64' in item);

test('a JSON export imported into another app keeps every branch, cost, mark and file', async () => {
  const file = await exported(core, 'json');
  // Two chats refer to the file, but it is exported once.
  expect(getFiles(file).map(({ name }) => name)).toEqual(['dot.png', 'notes.md']);
  const uploadId = await uploaded(empty, file, 10_007);
  const preview = await empty.client.transfer.previewImport({ uploadId });
  expect(preview).toMatchObject({ source: 'portico', leftOut: [] });
  expect(preview.conversations).toHaveLength(6);
  expect(await empty.client.transfer.commitImport({ uploadId, sourceIds: null })).toEqual({
    imported: 6,
    grown: 0,
    newMessages: 0,
    alreadyHere: 0,
    leftOut: [],
  });
  expect(getContents(await exported(empty, 'json'))).toEqual(getContents(file));
  const [picture] = getFiles(file);
  const { data } = await empty.client.attachments.read({ id: picture?.file ?? '', offset: 0 });
  expect(Buffer.from(data, 'base64').equals(dot)).toBe(true);

  const again = await uploaded(empty, file);
  expect(
    (await empty.client.transfer.previewImport({ uploadId: again })).conversations.every((chat) => chat.alreadyHere),
  ).toBe(true);
  expect(await empty.client.transfer.commitImport({ uploadId: again, sourceIds: null })).toMatchObject({
    imported: 0,
    alreadyHere: 6,
  });
  expect(readdirSync(join(empty.dataFolder, 'imports'))).toEqual([]);
  expect((await empty.client.search.find({ query: 'the' })).hits.length).toBeGreaterThan(10);
});

test('Markdown and HTML exports show the shown branch with its costs, and HTML contains no scripts or requests', async () => {
  const markdown = await exported(core, 'markdown');
  expect(markdown).toMatch(/^# .+\n\nBegun \d{4}-/);
  expect(markdown).toMatch(/\$\d+\.\d+ \(billed\)/);
  const html = await exported(core, 'html');
  expect(html).toContain('<!doctype html>');
  expect(html.match(/<h1 class="chat">/g)).toHaveLength(6);
  expect(html).not.toMatch(/<script|<img(?! src="data:image\/png;base64,)|<iframe|<link/i);
  expect(html.match(/<img/g)).toHaveLength(2);
  expect(html).toContain(`data:image/png;base64,${dot.toString('base64')}" alt="dot.png"`);
  expect(html).toContain('Attached: notes.md (8 B)');
  expect(markdown).toContain('*Attached: dot.png (');
  expect(html).toMatch(/<tfoot><tr><td>Together<\/td>/);
  expect(html).toMatch(/<pre><code>.*<span class="t-/s);
});

describe('files of an import', () => {
  let target: Core;
  beforeAll(async () => {
    target = await testCore();
  });
  afterAll(() => target.close());

  const given = (change: (file: string) => string) => async () => {
    const uploadId = await uploaded(target, change(await exported(core, 'json')));
    return (await target.client.transfer.previewImport({ uploadId })).leftOut;
  };

  test('are left out and counted if they are damaged, of a type that is not stored, or missing', async () => {
    const [first, second] = getFiles(await exported(core, 'json'));
    const replaced = (file: ExportedFile | undefined, by: object | null) =>
      given((text) => {
        const json = JSON.parse(text) as { contents: (ExportedConversation | ExportedFile)[] };
        json.contents = json.contents.flatMap((item) =>
          'file' in item && item.file === file?.file ? (by ? [{ ...item, ...by }] : []) : [item],
        );
        return JSON.stringify(json);
      });
    const other = Buffer.from('other').toString('base64');
    expect(await replaced(first, { base64: other })()).toEqual([{ what: 'damaged_files', count: 1 }]);
    expect(await replaced(second, null)()).toEqual([{ what: 'missing_files', count: 1 }]);
    const program = Buffer.from('7f454c4602010100000000000000000002003e0001000000', 'hex');
    const file = createHash('sha256').update(program).digest('hex');
    expect(await replaced(first, { file, base64: program.toString('base64') })()).toEqual([
      { what: 'refused_files', count: 1 },
      { what: 'missing_files', count: 1 },
    ]);
    expect(readdirSync(join(target.dataFolder), { recursive: true }).some((name) => String(name).includes(file))).toBe(
      false,
    );
  });

  test('are stored only for the chosen chats and described by their bytes, not by the export', async () => {
    const text = await exported(core, 'json');
    const lying = text.replaceAll('"mediaType":"image/png"', '"mediaType":"text/html"');
    const [with_, without] = getConversations(text).toSorted(
      (a, b) => Number(b.messages.some(hasFiles)) - Number(a.messages.some(hasFiles)) || 0,
    );
    const plain = getConversations(text).find(({ messages }) => !messages.some(hasFiles)) ?? without;
    const commit = async (id = '') =>
      target.client.transfer.commitImport({ uploadId: await uploaded(target, lying), sourceIds: [`portico:${id}`] });
    await commit(plain?.id);
    expect(existsSync(join(target.dataFolder, 'attachments'))).toBe(false);
    expect(await commit(with_?.id)).toMatchObject({ imported: 1, alreadyHere: 0, leftOut: [] });
    const { messages } = await readThread(target.client, with_?.id ?? '', { limit: 400 });
    expect(messages.find(hasFiles)?.attachments[0]).toMatchObject({ name: 'dot.png', mediaType: 'image/png' });
  });
});
const hasFiles = ({ attachments }: { attachments: readonly unknown[] }) => attachments.length > 0;

test('an export uses the app’s language at the time of the export', async () => {
  const [{ id } = { id: '' }] = (await core.client.conversations.list({ limit: 1 })).conversations;
  await core.client.settings.update({ language: 'en-XA' });
  const [markdown, page] = [await exported(core, 'markdown', [id]), await exported(core, 'html', [id])];
  await core.client.settings.update({ language: 'en' });
  expect(markdown).toMatch(/## ⟦Ýöû/);
  expect(markdown).toMatch(/⟦Begun 20\d\d-/);
  expect(page).toContain('<h2>⟦Ýöû~⟧</h2>');
  expect(await exported(core, 'markdown', [id])).not.toContain('⟦');
});

test('an imported chat costs what its answers show in sum, and no spending limit counts it', async () => {
  const target = await testCore();
  const uploadId = await uploaded(target, await exported(core, 'json'));
  await target.client.transfer.commitImport({ uploadId, sourceIds: null });
  let priced = 0;
  for (const { id } of (await core.client.conversations.list({})).conversations) {
    const here = await readThread(core.client, id, { limit: 400 });
    if (here.total.unknown > 0 || here.total.auxiliary.length > 0) continue;
    const there = await readThread(target.client, id, { limit: 400 });
    expect(there.total).toMatchObject({ usd: here.total.usd, testCreditsUsd: here.total.testCreditsUsd });
    if (here.total.testCreditsUsd !== '0' || here.total.usd !== '0') priced += 1;
  }
  expect(priced).toBeGreaterThan(0);
  expect((await target.client.caps.get()).spentUsd).toEqual({ day: '0', month: '0' });
  await target.close();
});

test('an export of an earlier version is read although it lacks files and newer fields', async () => {
  const target = await testCore();
  const old = getConversations(await exported(core, 'json')).map(({ messages, ...rest }) => ({
    ...rest,
    messages: messages.map(({ continues: _, bill: __, ...message }) => message),
  }));
  const head = { format: 'portico-chats', version: 1, exportedAt: '2026-01-01T00:00:00Z' };
  const uploadId = await uploaded(target, JSON.stringify({ ...head, conversations: old }));
  const { imported, leftOut } = await target.client.transfer.commitImport({ uploadId, sourceIds: null });
  expect({ imported, leftOut }).toEqual({
    imported: 6,
    leftOut: [{ what: 'missing_files', count: 2 }],
  });
  await target.close();
});

test('a duplicate has every branch, is independent of the original, and adds no cost', async () => {
  const [first] = (await core.client.conversations.list({ limit: 1 })).conversations;
  if (!first) throw new Error('There is no chat');
  const before = await core.client.caps.get();
  const { id } = await core.client.transfer.duplicate({ id: first.id });
  const exported = async (wanted: string): Promise<ExportedConversation> => {
    let words = '';
    for await (const { text } of await core.client.transfer.export({ ids: [wanted], format: 'json' })) words += text;
    return JSON.parse(words).contents.find((item: object) => 'messages' in item);
  };
  const [original, copy] = [await exported(first.id), await exported(id)];
  expect(copy.title).toBe(`Copy of ${original.title}`);
  expect(copy.messages.map(({ text }) => text)).toEqual(original.messages.map(({ text }) => text));
  expect(copy.messages.filter(({ id: own }) => original.messages.some((other) => other.id === own))).toEqual([]);
  const place = ({ messages }: ExportedConversation) =>
    messages.map(({ parentId }) => messages.findIndex((message) => message.id === parentId));
  expect(place(copy)).toEqual(place(original));
  expect(copy.messages.filter(({ costUsd, requestId }) => costUsd !== null || requestId !== null)).toEqual([]);
  expect(original.messages.some(({ costUsd }) => costUsd !== null)).toBe(true);
  expect((await core.client.caps.get()).spentUsd).toEqual(before.spentUsd);
  await core.client.conversations.remove({ id });
  expect((await exported(first.id)).messages).toHaveLength(original.messages.length);
  await expect(core.client.transfer.duplicate({ id: 'gone' })).rejects.toMatchObject({ code: 'not_found' });
});

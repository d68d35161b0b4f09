import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Attachment } from '#shared/contract/attachments.ts';
import type { ExportedConversation, ExportedFile } from '#shared/transfer.ts';
import { seed } from '../../../tests/seed/seed.ts';
import { testCore } from '../../../tests/support/test-core.ts';
import { foreignConversation, foreignMessage } from './imported.ts';
import { jsonItems } from './json-items.ts';

type Core = Awaited<ReturnType<typeof testCore>>;
let core: Core;
let empty: Core;
beforeAll(async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-transfer-'));
  await seed({
    ...{ dataFolder, conversations: 6, messages: 100, long: 0, requests: null, seed: 9, force: false },
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

/** The smallest picture there is: one pixel. */
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

/** Two questions of different chats come with these files. */
function nameFiles(dataFolder: string, files: readonly Attachment[]): void {
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  db.exec("update messages set attachments = '[]'");
  db.prepare(
    `update messages set attachments = ? where id in
      (select min(id) from messages where role = 'user' and parent_id is null group by conversation_id limit 2)`,
  ).run(JSON.stringify(files));
  db.close();
}

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

async function uploaded(to: Core, file: string | Buffer, pieceBytes = 50_000): Promise<string> {
  const { uploadId } = await to.client.transfer.beginImport();
  const bytes = Buffer.from(file);
  for (let offset = 0; offset < bytes.length; offset += pieceBytes) {
    const base64 = bytes.subarray(offset, offset + pieceBytes).toString('base64');
    await to.client.transfer.appendImport({ uploadId, offset, base64 });
  }
  return uploadId;
}

const contentsOf = (file: string) =>
  (JSON.parse(file) as { contents: (ExportedConversation | ExportedFile)[] }).contents;
const conversationsOf = (file: string) => contentsOf(file).filter((each) => 'messages' in each);
const filesOf = (file: string) => contentsOf(file).filter((each) => 'base64' in each);

test('what is exported as JSON and imported elsewhere is the same to the last branch, cost, mark and file', async () => {
  const file = await exported(core, 'json');
  // Named by two chats, held once.
  expect(filesOf(file).map(({ name }) => name)).toEqual(['dot.png', 'notes.md']);
  const uploadId = await uploaded(empty, file, 10_007);
  const preview = await empty.client.transfer.previewImport({ uploadId });
  expect(preview).toMatchObject({ source: 'portico', leftOut: [] });
  expect(preview.conversations).toHaveLength(6);
  expect(await empty.client.transfer.commitImport({ uploadId, sourceIds: null })).toEqual({
    ...{ imported: 6, alreadyHere: 0, leftOut: [] },
  });
  expect(contentsOf(await exported(empty, 'json'))).toEqual(contentsOf(file));
  const [picture] = filesOf(file);
  const { data } = await empty.client.attachments.read({ id: picture?.file ?? '', offset: 0 });
  expect(Buffer.from(data, 'base64').equals(dot)).toBe(true);

  const again = await uploaded(empty, file);
  expect(
    (await empty.client.transfer.previewImport({ uploadId: again })).conversations.every((each) => each.alreadyHere),
  ).toBe(true);
  expect(await empty.client.transfer.commitImport({ uploadId: again, sourceIds: null })).toMatchObject({
    ...{ imported: 0, alreadyHere: 6 },
  });
  expect(readdirSync(join(empty.dataFolder, 'imports'))).toEqual([]);
  expect((await empty.client.search.find({ query: 'the' })).hits.length).toBeGreaterThan(10);
});

test('Markdown and HTML show the shown branch with its costs, and HTML runs and fetches nothing', async () => {
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

  test('that are damaged, of a kind that is not kept, or not there stay behind, and it is said', async () => {
    const [first, second] = filesOf(await exported(core, 'json'));
    const replaced = (file: ExportedFile | undefined, by: object | null) =>
      given((text) => {
        const json = JSON.parse(text) as { contents: (ExportedConversation | ExportedFile)[] };
        json.contents = json.contents.flatMap((each) =>
          'file' in each && each.file === file?.file ? (by ? [{ ...each, ...by }] : []) : [each],
        );
        return JSON.stringify(json);
      });
    const other = Buffer.from('other').toString('base64');
    expect(await replaced(first, { base64: other })()).toEqual([{ what: 'files that are damaged', count: 1 }]);
    expect(await replaced(second, null)()).toEqual([
      { what: 'files that the export names but does not hold', count: 1 },
    ]);
    const program = Buffer.from('7f454c4602010100000000000000000002003e0001000000', 'hex');
    const file = createHash('sha256').update(program).digest('hex');
    expect(await replaced(first, { file, base64: program.toString('base64') })()).toEqual([
      { what: 'files of a kind or size that Portico does not keep', count: 1 },
      { what: 'files that the export names but does not hold', count: 1 },
    ]);
    expect(readdirSync(join(target.dataFolder), { recursive: true }).some((name) => String(name).includes(file))).toBe(
      false,
    );
  });

  test('come with the chats that are chosen only, described by their bytes and not by the export', async () => {
    const text = await exported(core, 'json');
    const lying = text.replaceAll('"mediaType":"image/png"', '"mediaType":"text/html"');
    const [with_, without] = conversationsOf(text).toSorted(
      (a, b) => Number(b.messages.some(hasFiles)) - Number(a.messages.some(hasFiles)) || 0,
    );
    const plain = conversationsOf(text).find(({ messages }) => !messages.some(hasFiles)) ?? without;
    const commit = async (id = '') =>
      target.client.transfer.commitImport({ uploadId: await uploaded(target, lying), sourceIds: [`portico:${id}`] });
    await commit(plain?.id);
    expect(existsSync(join(target.dataFolder, 'attachments'))).toBe(false);
    expect(await commit(with_?.id)).toEqual({ imported: 1, alreadyHere: 0, leftOut: [] });
    const { messages } = await target.client.conversations.get({ id: with_?.id ?? '', limit: 400 });
    expect(messages.find(hasFiles)?.attachments[0]).toMatchObject({ name: 'dot.png', mediaType: 'image/png' });
  });
});
const hasFiles = ({ attachments }: { attachments: readonly unknown[] }) => attachments.length > 0;

test('an export of an earlier version is read: without files, and without what messages have got since', async () => {
  const target = await testCore();
  const old = conversationsOf(await exported(core, 'json')).map(({ messages, ...rest }) => ({
    ...rest,
    messages: messages.map(({ continues: _, bill: __, ...message }) => message),
  }));
  const head = { format: 'portico-chats', version: 1, exportedAt: '2026-01-01T00:00:00Z' };
  const uploadId = await uploaded(target, JSON.stringify({ ...head, conversations: old }));
  const { imported, leftOut } = await target.client.transfer.commitImport({ uploadId, sourceIds: null });
  expect({ imported, leftOut }).toEqual({
    imported: 6,
    leftOut: [{ what: 'files that the export names but does not hold', count: 2 }],
  });
  await target.close();
});

describe('a list in pieces', () => {
  test('has the items that JSON.parse finds, however it is cut', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 3 })),
        fc.boolean(),
        cuts,
        fc.constantFrom(0, 2),
        (list, wrapped, sizes, indent) => {
          const text = JSON.stringify(wrapped ? { a: 1, conversations: list, z: ['x'] } : list, null, indent);
          const items = jsonItems();
          const found: string[] = [];
          for (let at = 0, turn = 0; at < text.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            found.push(...items.push(text.slice(at, at + size)));
            at += size;
          }
          expect(found.map((item) => JSON.parse(item))).toEqual(JSON.parse(JSON.stringify(list)));
          expect(items.end()).toEqual(wrapped ? { a: 1, conversations: [], z: ['x'] } : []);
        },
      ),
    );
  });
});

const chatgpt = (id: string, change: object = {}) => ({
  ...{ id, conversation_id: id, title: `Chat ${id}`, create_time: 1_700_000_000.5, update_time: 1_700_000_100 },
  current_node: 'n4',
  mapping: {
    n0: { id: 'n0', parent: null, message: null },
    n1: { id: 'n1', parent: 'n0', message: said('system', ['hidden']) },
    n2: { id: 'n2', parent: 'n1', message: said('user', ['Question?', { asset_pointer: 'file://x' }]) },
    n3: { id: 'n3', parent: 'n2', message: said('tool', ['a step']) },
    n4: { id: 'n4', parent: 'n3', message: said('assistant', ['Answer 1']) },
    n5: { id: 'n5', parent: 'n2', message: said('assistant', ['Answer 2']) },
  },
  ...change,
});
const said = (role: string, parts: unknown[]) => ({
  ...{ author: { role }, create_time: 1_700_000_001, metadata: { model_slug: 'gpt-4o' } },
  content: { content_type: 'multimodal_text', parts },
});

test('ChatGPT’s export comes with its branches; costs are unknown, and what stays behind is counted', async () => {
  const uploadId = await uploaded(
    empty,
    JSON.stringify([chatgpt('g1'), chatgpt('g2'), chatgpt('g3', { mapping: {} })]),
  );
  expect(await empty.client.transfer.previewImport({ uploadId })).toMatchObject({
    source: 'chatgpt',
    conversations: [{ sourceId: 'chatgpt:g1', title: 'Chat g1', messages: 3 }, { sourceId: 'chatgpt:g2' }],
    leftOut: expect.arrayContaining([
      { what: 'pictures and files', count: 2 },
      { what: 'steps of tools', count: 2 },
      { what: 'empty chats', count: 1 },
    ]),
  });
  expect(await empty.client.transfer.commitImport({ uploadId, sourceIds: ['chatgpt:g1'] })).toMatchObject({
    imported: 1,
  });
  const found = (await empty.client.search.find({ query: '"Chat g1"' })).hits[0]?.conversation;
  const { messages } = await empty.client.conversations.get({ id: found?.id ?? '' });
  expect(messages.map(({ text }) => text)).toEqual(['Question?', 'Answer 1']);
  expect(messages[1]).toMatchObject({
    ...{ costUsd: null, costSource: 'unknown', model: 'openai/gpt-4o', sibling: { index: 1, count: 2 } },
  });
});

test('Claude’s export comes with its thoughts and order', async () => {
  const message = (uuid: string, sender: string, content: object[], more: object = {}) => ({
    ...{ uuid, sender, text: '', content, created_at: '2025-01-02T03:04:05Z', attachments: [], files: [], ...more },
  });
  const file = [
    {
      ...{ uuid: 'k1', name: 'Claude chat', created_at: '2025-01-02T03:04:05Z', updated_at: '2025-01-02T03:05:05Z' },
      chat_messages: [
        message('a', 'human', [{ type: 'text', text: 'Hello' }], { files: [{ file_name: 'x.pdf' }] }),
        message('b', 'assistant', [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'tool_use', name: 'search' },
          { type: 'text', text: 'Good day' },
        ]),
      ],
    },
  ];
  const uploadId = await uploaded(empty, `\uFEFF${JSON.stringify(file, null, 2)}`);
  expect(await empty.client.transfer.commitImport({ uploadId, sourceIds: null })).toEqual({
    ...{ imported: 1, alreadyHere: 0 },
    leftOut: [
      { what: 'pictures and files', count: 1 },
      { what: 'steps of tools', count: 1 },
    ],
  });
  const found = (await empty.client.search.find({ query: '"Claude chat"' })).hits[0]?.conversation;
  const { messages } = await empty.client.conversations.get({ id: found?.id ?? '' });
  expect(messages).toMatchObject([{ text: 'Hello' }, { text: 'Good day', reasoning: 'Hm.', costUsd: null }]);
});

describe('a file is refused whole, with a sentence,', () => {
  const good = JSON.stringify(chatgpt('h1'));
  const portico = (conversation: object, version = 1) =>
    JSON.stringify({
      format: 'portico-chats',
      version,
      exportedAt: '2026-01-01T00:00:00Z',
      conversations: [conversation],
    });
  const lone = {
    ...foreignConversation({
      sourceId: '',
      id: 'p',
      title: 't',
      createdAt: 0,
      updatedAt: 0,
      activeLeaf: null,
      messages: [],
      leftOut: [],
    }).conversation,
  };
  const orphan = foreignMessage({
    ...{ id: 'x', parentId: 'y', role: 'user', text: '', reasoning: '', createdAt: 0, model: null, modelName: null },
  });
  test.each([
    ['that is empty', '', /no export/],
    ['that is text', 'hello', /no export/],
    ['that is a ZIP', 'PK\u0003\u0004', /ZIP/],
    ['that is cut off', `[${good},${good.slice(0, -30)}`, /middle/],
    ['with garbage after a good chat', `[${good},{"mapping":nonsense}]`, /not valid JSON/],
    ['with a chat of another shape', `[${good},{"mapping":7}]`, /not as expected/],
    ['with a second list end', `[${good}]]`, /not valid JSON/],
    ['with an empty item', `[${good},,${good}]`, /not valid JSON/],
    ['that is another list', '[{"a":1}]', /no export/],
    ['of an empty list', '[]', /no conversations/],
    ['of a later version', portico(lone, 3), /no export/],
    ['with an orphan', portico({ ...lone, messages: [orphan] }), /no place/],
    [
      'with a cost that is none',
      portico({ ...lone, messages: [{ ...orphan, parentId: null, costUsd: '1e9' }] }),
      /not as expected/,
    ],
    ['nested without end', `${'['.repeat(100_000)}`, /nested too deeply/],
    [
      'with a prototype for a node',
      `[{"id":"q","mapping":{"__proto__":{"id":"z","message":3}}}]`,
      /not as expected|no export|are no/,
    ],
  ])('one %s', async (_, file, why) => {
    const before = (await empty.client.conversations.list({ limit: 500 })).conversations.length;
    const uploadId = await uploaded(empty, file);
    const refusal = await empty.client.transfer.commitImport({ uploadId, sourceIds: null }).then(
      ({ imported }) => ({ code: 'import_refused', message: `${imported} are no` }),
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ code: 'import_refused', message: expect.stringMatching(why) });
    expect((await empty.client.conversations.list({ limit: 500 })).conversations).toHaveLength(before);
    expect(existsSync(join(empty.dataFolder, 'imports', uploadId))).toBe(false);
  });

  test('and pieces that do not follow each other are, too', async () => {
    const { uploadId } = await empty.client.transfer.beginImport();
    const base64 = Buffer.from('[').toString('base64');
    await expect(empty.client.transfer.appendImport({ uploadId, offset: 5, base64 })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(empty.client.transfer.previewImport({ uploadId: '../portico.db' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

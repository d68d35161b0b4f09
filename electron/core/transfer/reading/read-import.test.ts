import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readThread } from '../../../../tests/support/read-thread.ts';
import { testCore } from '../../../../tests/support/test-core.ts';
import { uploaded } from '../../../../tests/support/upload-import.ts';
import { foreignConversation, foreignMessage } from './imported.ts';

let empty: Awaited<ReturnType<typeof testCore>>;
beforeAll(async () => {
  empty = await testCore();
});
afterAll(() => empty.close());

const chatgpt = (id: string, change: object = {}) => ({
  id,
  conversation_id: id,
  title: `Chat ${id}`,
  create_time: 1_700_000_000.5,
  update_time: 1_700_000_100,
  current_node: 'n4',
  mapping: {
    n0: { id: 'n0', parent: null, message: null },
    n1: { id: 'n1', parent: 'n0', message: getMessage('system', ['hidden']) },
    n2: { id: 'n2', parent: 'n1', message: getMessage('user', ['Question?', { asset_pointer: 'file://x' }]) },
    n3: { id: 'n3', parent: 'n2', message: getMessage('tool', ['a step']) },
    n4: { id: 'n4', parent: 'n3', message: getMessage('assistant', ['Answer 1']) },
    n5: { id: 'n5', parent: 'n2', message: getMessage('assistant', ['Answer 2']) },
  },
  ...change,
});
const getMessage = (role: string, parts: unknown[]) => ({
  author: { role },
  create_time: 1_700_000_001,
  metadata: { model_slug: 'gpt-4o' },
  content: { content_type: 'multimodal_text', parts },
});

const zipped = (files: Record<string, string>) =>
  Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]))));
/** Creates a ZIP with one byte of its data changed. */
function damaged(files: Record<string, string>): Buffer {
  const bytes = zipped(files);
  bytes.writeUInt8(bytes.readUInt8(120) ^ 0xff, 120);
  return bytes;
}
/** Creates a ZIP with the flag of an encrypted entry in its directory, which is where it is checked. */
function locked(files: Record<string, string>): Buffer {
  const bytes = zipped(files);
  const entry = bytes.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
  bytes.writeUInt16LE(bytes.readUInt16LE(entry + 8) | 1, entry + 8);
  return bytes;
}

/** Creates a ZIP whose directory declares more content than the limit. */
function bomb(files: Record<string, string>): Buffer {
  const bytes = zipped(files);
  bytes.writeUInt32LE(4_100_000_000, bytes.indexOf(Buffer.from('PK\x01\x02', 'latin1')) + 24);
  return bytes;
}

test('ChatGPT’s export is read with its branches, unknown costs, and a count of what is left out', async () => {
  const uploadId = await uploaded(
    empty,
    JSON.stringify([chatgpt('g1'), chatgpt('g2'), chatgpt('g3', { mapping: {} })]),
  );
  expect(await empty.client.transfer.previewImport({ uploadId })).toMatchObject({
    source: 'chatgpt',
    conversations: [{ sourceId: 'chatgpt:g1', title: 'Chat g1', messages: 3 }, { sourceId: 'chatgpt:g2' }],
    leftOut: expect.arrayContaining([
      { what: 'files', count: 2 },
      { what: 'tool_steps', count: 2 },
      { what: 'empty_chats', count: 1 },
    ]),
  });
  expect(await empty.client.transfer.commitImport({ uploadId, sourceIds: ['chatgpt:g1'] })).toMatchObject({
    imported: 1,
  });
  const found = (await empty.client.search.find({ query: '"Chat g1"' })).hits[0]?.conversation;
  const { messages } = await readThread(empty.client, found?.id ?? '');
  expect(messages.map(({ text }) => text)).toEqual(['Question?', 'Answer 1']);
  expect(messages[1]).toMatchObject({
    costUsd: null,
    costSource: 'unknown',
    model: 'openai/gpt-4o',
    sibling: { index: 1, count: 2 },
  });
});

test('an export is read from its ZIP as delivered, also in several numbered files', async () => {
  const uploadId = await uploaded(
    empty,
    zipped({
      '__MACOSX/._conversations.json': 'no JSON',
      'user.json': '{"email":"someone@example.com"}',
      'archive/conversations-10.json': JSON.stringify([chatgpt('z3')]),
      'archive/conversations-2.json': JSON.stringify([
        chatgpt('z1'),
        chatgpt('z2', { title: 'Schöne Grüße 🎉'.repeat(50_000) }),
      ]),
      'file-1.png': 'a picture',
    }),
  );
  const { source, conversations } = await empty.client.transfer.previewImport({ uploadId });
  expect([source, conversations.map(({ sourceId }) => sourceId)]).toEqual([
    'chatgpt',
    ['chatgpt:z1', 'chatgpt:z2', 'chatgpt:z3'],
  ]);
  expect(await empty.client.transfer.commitImport({ uploadId, sourceIds: ['chatgpt:z3'] })).toMatchObject({
    imported: 1,
  });
  expect((await empty.client.search.find({ query: '"Chat z3"' })).hits).toHaveLength(1);
});

test('Claude’s export is read with its reasoning and order', async () => {
  const message = (uuid: string, sender: string, content: object[], more: object = {}) => ({
    uuid,
    sender,
    text: '',
    content,
    created_at: '2025-01-02T03:04:05Z',
    attachments: [],
    files: [],
    ...more,
  });
  const file = [
    {
      uuid: 'k1',
      name: 'Claude chat',
      created_at: '2025-01-02T03:04:05Z',
      updated_at: '2025-01-02T03:05:05Z',
      chat_messages: [
        message('a', 'human', [{ type: 'text', text: 'Hello' }], { files: [{ file_name: 'x.pdf' }] }),
        message('b', 'assistant', [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'tool_use', name: 'search' },
          { type: 'text', text: 'Good day' },
        ]),
        message('c', 'human', [], {
          attachments: [{ file_name: 'paste.txt', extracted_content: 'Alps or sea' }, { file_name: 'b.zip' }],
        }),
      ],
    },
  ];
  const uploadId = await uploaded(empty, `\uFEFF${JSON.stringify(file, null, 2)}`);
  expect(await empty.client.transfer.commitImport({ uploadId, sourceIds: null })).toEqual({
    imported: 1,
    grown: 0,
    newMessages: 0,
    alreadyHere: 0,
    leftOut: [
      { what: 'files', count: 2 },
      { what: 'tool_steps', count: 1 },
    ],
  });
  const found = (await empty.client.search.find({ query: '"Claude chat"' })).hits[0]?.conversation;
  const { messages } = await readThread(empty.client, found?.id ?? '');
  expect(messages).toMatchObject([
    { text: 'Hello' },
    { text: 'Good day', reasoning: 'Hm.', costUsd: null },
    { text: 'paste.txt\n\nAlps or sea' },
  ]);
});

describe('a file is refused completely with an explanation', () => {
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
    id: 'x',
    parentId: 'y',
    role: 'user',
    text: '',
    reasoning: '',
    createdAt: 0,
    model: null,
    modelName: null,
  });
  test.each([
    ['that is empty', '', /no export/],
    ['that is text', 'hello', /no export/],
    ['that is text with a quotation mark', 'hello "', /no export/],
    ['that only begins like a ZIP', 'PK\u0003\u0004', /could not be read/],
    ['that is a ZIP without chats', zipped({ 'users.json': '[]', 'projects.json': '[]' }), /no conversations.json/],
    ['that is an empty ZIP', zipped({}), /no conversations.json/],
    ['that is a ZIP whose chats are cut off', zipped({ 'conversations.json': `[${good},` }), /middle/],
    [
      'that is a ZIP that was cut off',
      zipped({ 'conversations.json': `[${good}]` }).subarray(0, 200),
      /could not be read/,
    ],
    [
      'that is a ZIP whose bytes were changed',
      damaged({ 'conversations.json': `[${good}]` }),
      /could not be read|not valid/,
    ],
    ['that is a ZIP of more than the size limit', bomb({ 'conversations.json': `[${good}]` }), /larger than 4 GB/],
    ['that is a ZIP with a password', locked({ 'conversations.json': `[${good}]` }), /encrypted/],
    ['that is cut off', `[${good},${good.slice(0, -30)}`, /middle/],
    ['with garbage after a good chat', `[${good},{"mapping":nonsense}]`, /not valid JSON/],
    ['with a chat of another shape', `[${good},{"mapping":7}]`, /not as expected/],
    ['with a second list end', `[${good}]]`, /not valid JSON/],
    ['with an empty item', `[${good},,${good}]`, /not valid JSON/],
    ['that is a list of something else', '[{"a":1}]', /no export/],
    ['that is a list of numbers', '[1,2]', /no export/],
    ['of another program’s chats in an object', `{"conversations":[${good}]}`, /no export/],
    ['whose list ends like an object', `[${good}}`, /not valid JSON/],
    ['whose list in an object ends like an object', `{"conversations":[${good}}`, /not valid JSON/],
    ['with a megabyte before its list', `{"x":"${'x'.repeat(1_000_001)}","conversations":[]}`, /no export/],
    ['of an empty list', '[]', /no conversations/],
    ['of a later version', portico(lone, 3), /no export/],
    ['with a message whose parent is missing', portico({ ...lone, messages: [orphan] }), /no place/],
    ['whose shown message is missing', portico({ ...lone, activeLeaf: 'nowhere' }), /no place/],
    [
      'with an invalid cost',
      portico({ ...lone, messages: [{ ...orphan, parentId: null, costUsd: '1e9' }] }),
      /not as expected/,
    ],
    ['that is nested endlessly', `${'['.repeat(100_000)}`, /nested too deeply/],
    [
      'with a prototype for a node',
      `[{"id":"q","mapping":{"__proto__":{"id":"z","message":3}}}]`,
      /not as expected|no export|are no/,
    ],
  ])('if it is one %s', async (_, file, why) => {
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

  test('if its pieces are not consecutive', async () => {
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

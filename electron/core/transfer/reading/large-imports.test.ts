import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { builtThreads } from '../../../../tests/support/built-threads.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { blockedMs, maxHeld } from '../../../../tests/support/longest-held.ts';
import { memoryTaken } from '../../../../tests/support/memory-taken.ts';
import { deflated } from '../../../../tests/support/pdf-bombs.ts';
import { uploaded } from '../../../../tests/support/upload-import.ts';
import { getZip } from '../../../../tests/support/zip-files.ts';
import { exportReader } from '../import-thread.ts';

/** Creates a chat in ChatGPT's export format, with each message below the previous one. */
function chat(id: string, messages: number, more = '') {
  const mapping: Record<string, object> = {};
  for (let index = 0; index < messages; index++) {
    mapping[`n${index}`] = {
      id: `n${index}`,
      parent: index === 0 ? null : `n${index - 1}`,
      children: index === messages - 1 ? [] : [`n${index + 1}`],
      message: {
        id: `${id}-${index}`,
        author: { role: index % 2 === 0 ? 'user' : 'assistant' },
        create_time: 1_700_000_000 + index,
        content: { content_type: 'text', parts: [`Message ${index} of many, about lakes and rivers.${more}`] },
        metadata: {},
      },
    };
  }
  return {
    id,
    title: id,
    create_time: 1_700_000_000,
    update_time: 1_700_000_000,
    current_node: `n${messages - 1}`,
    mapping,
  };
}

async function imported(chats: readonly object[]) {
  const core = await coreOfTest();
  const uploadId = await uploaded(core, JSON.stringify(chats), 700_000);
  const [taken, held] = [memoryTaken(), maxHeld()];
  const result = await core.client.transfer.commitImport({ uploadId, sourceIds: null });
  return { ...core, result, taken: taken(), held: held() };
}

test('a chat of 50,000 messages is imported completely without blocking the core or taking gigabytes', async () => {
  const { client, result, taken, held } = await imported([chat('Long', 50_000)]);
  expect(result).toMatchObject({ imported: 1 });
  expect(held).toBeLessThan(blockedMs);
  expect(taken).toBeLessThan(700);
  const [{ id } = { id: '' }] = (await client.conversations.list({})).conversations;
  const { hits } = await client.search.find({ query: '49999' });
  expect(hits).toMatchObject([{ conversation: { id } }]);
  // SQLite follows a chain of parents for 1,000 messages only.
  await client.conversations.remove({ id });
  expect((await client.search.find({ query: '49999' })).hits).toEqual([]);
});

test('thousands of chats are imported', async () => {
  const { result } = await imported(Array.from({ length: 3_000 }, (_, index) => chat(`Chat ${index}`, 4)));
  expect(result).toMatchObject({ imported: 3_000 });
});

test('a chat of 30 MB is previewed, imported and compared again without blocking the core', async () => {
  const core = await coreOfTest();
  const text = JSON.stringify([chat('Long', 40_000, ` ${'lakes and rivers '.repeat(30)}`)]);
  expect(text.length).toBeGreaterThan(30_000_000);
  const [preview, commit, again] = [
    await uploaded(core, text, 700_000),
    await uploaded(core, text, 700_000),
    await uploaded(core, text, 700_000),
  ];
  const held = maxHeld();
  const { conversations } = await core.client.transfer.previewImport({ uploadId: preview });
  expect(conversations).toMatchObject([{ messages: 40_000, newMessages: 40_000 }]);
  const adding = core.client.transfer.commitImport({ uploadId: commit, sourceIds: null });
  let whenSeen: number | null = null;
  async function list() {
    const { conversations } = await core.client.conversations.list({});
    if (conversations.length > 0) whenSeen ??= messagesIn(core.dataFolder);
  }
  expect(await maxPart(adding, list)).toBeLessThan(0.2);
  expect(await adding).toMatchObject({ imported: 1 });
  // The chat is in no list before it is complete.
  await list();
  expect(whenSeen).toBe(40_000);
  const looking = core.client.transfer.commitImport({ uploadId: again, sourceIds: null });
  // Nothing is added, so no other call waits for a transaction either.
  expect(await maxPart(looking, () => core.client.conversations.list({}))).toBeLessThan(0.2);
  expect(await looking).toMatchObject({ alreadyHere: 1 });
  expect(held()).toBeLessThan(blockedMs);
}, 120_000);

/** Repeats a call while the work runs. Returns the longest call as a fraction of the work's duration. */
async function maxPart(work: Promise<unknown>, call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let [isOver, longest] = [false, 0];
  void work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const before = performance.now();
    await call();
    longest = Math.max(longest, performance.now() - before);
    await setImmediate();
  }
  return longest / (performance.now() - start);
}

const withParts = (parts: string) => JSON.stringify([chat('Odd', 1)]).replace('"parts":[', `"parts":[${parts}`);
const zipped = async (piece: Buffer, times: number, tail: string) =>
  getZip([
    {
      name: 'conversations.json',
      data: { deflated: await deflated(piece, times, { raw: true, head: '[', tail }) },
      size: 1 + piece.length * times + tail.length,
    },
  ]);

test.each([
  [
    'thirty million empty chats in a ZIP of a megabyte',
    /more than 200,000 chats/,
    () => zipped(Buffer.from('{"mapping":{}},'.repeat(60_000)), 500, '{"mapping":{}}]'),
  ],
  [
    'a gigabyte of blanks in a ZIP',
    /a conversation in it is larger than 50 MB/,
    () => zipped(Buffer.alloc(1_048_576, ' '), 1_000, ']'),
  ],
  ['twenty million values in a chat', /more than 8,000,000 values/, async () => withParts('0,'.repeat(20_000_000))],
  ['fifteen million objects in a chat', /more than 8,000,000 values/, async () => withParts('{},'.repeat(15_000_000))],
  [
    'too many files',
    /more than .* 100,000 files/,
    async () => {
      const file = JSON.stringify({ file: 'a'.repeat(64), name: 'a', base64: '' });
      return `{"format":"portico-chats","version":2,"exportedAt":"2026-01-01T00:00:00Z","contents":[${`${file},`.repeat(100_000)}${file}]}`;
    },
  ],
])(
  'an export is refused completely, soon and with an explanation, when it contains %s',
  async (_name, sentence, make) => {
    const core = await coreOfTest();
    const uploadId = await uploaded(core, await make(), 700_000);
    const [taken, held] = [memoryTaken(), maxHeld()];
    await expect(core.client.transfer.commitImport({ uploadId, sourceIds: null })).rejects.toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(sentence),
    });
    expect(taken()).toBeLessThan(500);
    expect(held()).toBeLessThan(blockedMs);
    expect((await core.client.conversations.list({})).conversations).toEqual([]);
  },
  60_000,
);

test('millions of left-out parts are counted, and a text that was cut is reported', async () => {
  const core = await coreOfTest();
  const uploadId = await uploaded(core, withParts(`${'0,'.repeat(1_000_000)}"${'x'.repeat(2_000_000)}",`), 700_000);
  const { leftOut } = await core.client.transfer.previewImport({ uploadId });
  expect(leftOut).toEqual([
    { what: 'files', count: 1_000_000 },
    { what: 'long_texts', count: 1 },
  ]);
});

test('a chat that needs more memory than the limit is refused with that limit', async () => {
  const core = await coreOfTest();
  const path = join(core.dataFolder, 'odd.json');
  await writeFile(path, withParts(`{${Array.from({ length: 2_000_000 }, (_, index) => `"${index}_":{}`).join(',')}},`));
  const read = exportReader(join(await builtThreads(), 'import-worker.js'), new AbortController().signal, 100);
  await expect(read(path).next()).rejects.toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(/needs more than 100 MB of memory/),
  });
});

test('a chat whose import was interrupted by the end of the core is not left incomplete', async () => {
  const core = await coreOfTest();
  const uploadId = await uploaded(core, JSON.stringify([chat('Long', 50_000)]), 700_000);
  let isOver = false;
  const adding = core.client.transfer.commitImport({ uploadId, sourceIds: null }).finally(() => {
    isOver = true;
  });
  adding.catch(() => {});
  const rows = () => messagesIn(core.dataFolder);
  while (rows() < 2_000 && !isOver) await setImmediate();
  await core.core.close();
  await adding.catch(() => {});
  const again = await coreOfTest({ dataFolder: core.dataFolder });
  const { conversations } = await again.client.conversations.list({});
  expect([conversations.length, rows()]).toEqual(conversations.length === 1 ? [1, 50_000] : [0, 0]);
});

function messagesIn(dataFolder: string): number {
  const db = new Sqlite(join(dataFolder, 'portico.db'), { readonly: true });
  try {
    return db.prepare('select count(*) from messages').pluck().get() as number;
  } finally {
    db.close();
  }
}

test('an import ends when the core closes', async () => {
  const core = await coreOfTest();
  const uploadId = await uploaded(
    core,
    await zipped(Buffer.from('{"mapping":{}},'.repeat(60_000)), 500, '{"mapping":{}}]'),
  );
  const looking = core.client.transfer.previewImport({ uploadId });
  looking.catch(() => {});
  await core.core.close();
  await expect(looking).rejects.toMatchObject({ code: 'cancelled' });
});

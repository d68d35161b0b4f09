import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SearchHit } from '#shared/contract/chat/search.ts';
import { seed } from '../../../../tests/seed/seed.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';
import { testCore } from '../../../../tests/support/test-core.ts';

let core: Awaited<ReturnType<typeof testCore>>;
const ids: Record<string, string> = {};
const dataFolder = mkdtempSync(join(tmpdir(), 'portico-search-'));

/** The database has many generated chats, and a few with known words. */
beforeAll(async () => {
  await seed({
    dataFolder,
    conversations: 30,
    messages: 600,
    long: 0,
    requests: null,
    seed: 3,
    force: false,
    nowMs: Date.UTC(2026, 5, 1),
  });
  core = await testCore({ dataFolder, now: () => Date.UTC(2026, 5, 2, 12) });
  core.gateway.script = async function* () {
    yield 'The zanzibar answer mentions résumé and Crème brûlée; rate_limiter() too.';
  };
  for (const [name, text] of Object.entries({
    capital: 'What is the zanzibar capital?',
    chinese: '我们讨论数据库索引的设计',
    marked: 'Percent 100%_sure and a back\\slash zanzibar',
  })) {
    const sent = await core.client.chat.send({ messageId: name, text, model: 'openai/gpt' });
    ids[name] = sent.conversationId;
    const id = sent.conversationId;
    await eventually(async () => expect((await readThread(core.client, id)).conversation.live).toBe(false));
  }
});
afterAll(() => core.close());

const find = async (query: string, limit = 50) => core.client.search.find({ query, limit });
const titled = async (query: string) => [...new Set((await find(query)).hits.map((hit) => hit.conversation.title))];
const hits = (pieces: SearchHit['title']) => pieces.filter((piece) => piece.hit).map((piece) => piece.text);

test('search finds words in titles and messages by their beginning, ignoring case and accents', async () => {
  const { hits: found } = await find('ZANZ');
  expect(found[0]).toMatchObject({ message: null, conversation: { id: ids.capital } });
  expect(hits(found[0]?.title ?? [])).toEqual(['zanzibar']);
  const messages = found.filter((hit) => hit.message);
  expect(messages.map((hit) => hit.message?.createdAt)).toEqual(
    messages.map((hit) => hit.message?.createdAt).toSorted((a, b) => (b ?? 0) - (a ?? 0)),
  );
  expect(messages.map((hit) => hits(hit.message?.snippet ?? []))).toEqual(messages.map(() => ['zanzibar']));
  expect(await titled('resume creme')).toHaveLength(3);
  expect((await find('anzibar')).hits).toEqual([]);
});

test('a hit contains all words of the query, and quotes require the exact phrase', async () => {
  expect((await find('zanzibar capital')).hits.some((hit) => hit.conversation.id === ids.capital)).toBe(true);
  expect((await find('"capital zanzibar"')).hits).toEqual([]);
  expect((await find('"zanzibar capital"')).hits.length).toBeGreaterThan(0);
  expect((await find('"zanz"')).hits).toEqual([]);
  expect((await find('rate_limiter zanzibar')).hits.length).toBeGreaterThan(0);
});

test('search finds text anywhere in scripts without spaces, and takes LIKE wildcards literally', async () => {
  const { hits: found } = await find('数据库');
  expect(found.every((hit) => hit.conversation.id === ids.chinese)).toBe(true);
  const message = found.find((hit) => hit.message);
  expect(hits(message?.message?.snippet ?? [])).toEqual(['数据库']);
  expect((await find('数%库')).hits).toEqual([]);
  expect(await titled('100% sure')).toEqual([expect.stringContaining('Percent')]);
});

test('prefixes narrow a search', async () => {
  const { client } = core;
  const folder = await client.organise.createFolder({ name: 'My island' });
  const change = { folderId: folder.id, pinned: true, addTags: ['far away'], archived: true };
  await client.organise.change({ ids: [ids.capital ?? ''], change });
  const only = [expect.stringContaining('capital')];
  expect(await titled('zanzibar folder:"my island"')).toEqual(only);
  expect(await titled('zanzibar pinned:yes')).toEqual(only);
  expect(await titled('zanzibar archived:no')).not.toContainEqual(only[0]);
  expect(await titled('tag:"far away"')).toEqual(only);
  expect(await titled('zanzibar model:gpt')).toHaveLength(3);
  expect(await titled('zanzibar model:claude')).toEqual([]);
  expect(await titled('zanzibar after:2026-06-02')).toHaveLength(3);
  expect(await titled('zanzibar before:2026-06')).toEqual([]);
  const roles = async (query: string) => new Set((await find(query)).hits.map((hit) => hit.message?.role));
  expect(await roles('zanzibar role:user')).toEqual(new Set(['user']));
  expect(await roles('zanzibar role:assistant')).toEqual(new Set(['assistant']));
  await client.organise.change({ ids: [ids.capital ?? ''], change: { trashed: true } });
  expect(await titled('zanzibar folder:"my island"')).toEqual([]);
  expect(await titled('zanzibar trash:yes')).toEqual(only);
  await client.organise.change({ ids: [ids.capital ?? ''], change: { trashed: false, archived: false } });
});

test('a prefix with an invalid value is reported, and the search finds nothing', async () => {
  for (const [query, problem] of [
    ['zanzibar folder:nowhere', 'There is no folder "nowhere".'],
    ['zanzibar tag:nothing', 'There is no tag "nothing".'],
    ['zanzibar before:soon', expect.stringContaining('before: needs a date')],
    ['zanzibar after:2026-02-31', expect.stringContaining('after: needs a date')],
    ['zanzibar pinned:maybe', expect.stringContaining('yes or no')],
    ['zanzibar role:robot', expect.stringContaining('user or assistant')],
    ['zanzibar tag:', expect.stringContaining('needs a value')],
  ] as const) {
    expect(await find(query)).toEqual({
      hits: [],
      nextCursor: null,
      problems: [{ message: problem, refusal: expect.anything() }],
    });
  }
  expect(await find('   ')).toEqual({ hits: [], nextCursor: null, problems: [] });
});

test('no query causes an error, however hostile it is', async () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          ...['"', "'", '*', '(', ')', 'NEAR(', ' AND ', ' OR ', ' NOT ', '^', ':', 'text:', '-', '+', '{', '}', '\\'],
          ...['%', '_', '\0', 'tag:"', 'before:', '; drop table messages', 'zanzibar', '数', '\u0001', '“'],
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  );
  await fc.assert(
    fc.asyncProperty(hostile, async (query) => {
      const answer = await core.client.search.find({ query: query.slice(0, 500), limit: 3 });
      expect(answer.hits.length).toBeLessThanOrEqual(6);
    }),
    { numRuns: 300 },
  );
});

test('pages of hits have neither gaps nor repeats', async () => {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof find>> = await core.client.search.find({ query: 'the', limit: 40, cursor });
    seen.push(...page.hits.flatMap((hit) => hit.message?.id ?? []));
    cursor = page.nextCursor;
  } while (cursor);
  const all = (await find('the', 200)).hits.flatMap((hit) => hit.message?.id ?? []);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.slice(0, all.length)).toEqual(all);
  expect(seen.length).toBeGreaterThan(200);
});

test('the search index matches the messages after streaming, deletion and cascades', async () => {
  const { client } = core;
  const before = await find('zanzibar', 200);
  await client.conversations.remove({ id: ids.marked ?? '' });
  expect((await find('zanzibar', 200)).hits.length).toBeLessThan(before.hits.length);
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  // FTS5 compares its index with the indexed rows, and throws an error where they differ.
  db.exec("insert into message_words (message_words, rank) values ('integrity-check', 1)");
  db.exec("insert into title_words (title_words, rank) values ('integrity-check', 1)");
  db.close();
});

test('find in a chat lists the hits of the shown branch, oldest first', async () => {
  const { client } = core;
  const conversationId = ids.capital ?? '';
  const { messages } = await readThread(client, conversationId);
  expect(await client.search.inConversation({ conversationId, text: 'ZANZIBAR' })).toEqual({
    matches: messages.map((message) => ({ messageId: message.id, count: 1 })),
    total: 2,
  });
  expect(await client.search.inConversation({ conversationId, text: '%' })).toEqual({ matches: [], total: 0 });
  expect(await client.search.inConversation({ conversationId: 'gone', text: 'a' })).toEqual({ matches: [], total: 0 });
});

test.each([
  [
    '# Plan\n\n**Quagga** and *quokka*, see [the `notes`](https://example.com/n)',
    'Plan Quagga and quokka, see the notes',
  ],
  ['```python\nprint(2**3, "quagga")\n```', 'print(2**3, "quagga")'],
  ['| Animal | Cost |\n|---|---|\n| quagga | 3 * 4 * 5 |', 'Animal · Cost quagga · 3 * 4 * 5'],
  ['- [ ] feed the quagga\n- a snake_case_name \\* **quaggas', '• feed the quagga • a snake_case_name * quaggas'],
  ['> [it](https://example.com/quagga/x), `quagga` and [q', '[it](https://example.com/quagga/x), quagga and [q'],
])('a snippet of %j shows the words', async (text, shown) => {
  core.gateway.script = async function* () {
    yield text;
  };
  const question = { messageId: randomUUID(), text: '**quagga**', model: 'openai/gpt' };
  const { conversationId } = await core.client.chat.send(question);
  await eventually(async () => expect((await readThread(core.client, conversationId)).conversation.live).toBe(false));
  const [{ message } = { message: null }] = (await find('quagga role:assistant')).hits;
  expect(
    message?.snippet
      .map((run) => run.text)
      .join('')
      .trim()
      .replace(/\s*\n\s*/g, ' '),
  ).toBe(shown);
  expect(hits(message?.snippet ?? []).every((word) => /^quaggas?$/i.test(word))).toBe(true);
  const [asked] = (await find('quagga role:user')).hits;
  expect(asked?.message?.snippet.map((run) => run.text)).toEqual(['**', 'quagga', '**']);
});

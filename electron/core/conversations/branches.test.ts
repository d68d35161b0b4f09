import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addLongConversation } from '../../../tests/support/long-conversation.ts';
import { readThread } from '../../../tests/support/read-thread.ts';
import { readUntil, testCore } from '../../../tests/support/test-core.ts';

let core: Awaited<ReturnType<typeof testCore>>;
let count = 0;
let now = Date.now();
beforeAll(async () => {
  core = await testCore({ now: () => now });
});
beforeEach(() => {
  count = 0;
  core.gateway.refusal = null;
  core.gateway.script = async function* () {
    count += 1;
    yield `answer ${count}`;
  };
});
afterAll(() => core.close());

const model = 'openai/gpt';
async function ended<S extends { conversationId: string; answerId: string }>(starting: Promise<S>): Promise<S> {
  const started = await starting;
  await expect
    .poll(async () => (await readThread(core.client, started.conversationId)).runningIds, { interval: 2 })
    .toEqual([]);
  return started;
}
const send = (text: string, more: { conversationId?: string; editOf?: string } = {}) =>
  ended(core.client.chat.send({ messageId: randomUUID(), text, model, ...more }));
const shown = async (id: string) => {
  const { messages } = await readThread(core.client, id);
  return messages.map(({ text, sibling }) => `${text} ${sibling.index}/${sibling.count}`);
};

test('an edited message is a sibling of the old one, and each keeps the branch below it', async () => {
  const { client } = core;
  const first = await send('one');
  const id = first.conversationId;
  const second = await send('two', { conversationId: id });
  await ended(client.chat.regenerate({ answerId: second.answerId }));
  const edited = await send('uno', { editOf: first.userMessageId });
  expect(edited.conversationId).toBe(id);
  expect(await shown(id)).toEqual(['uno 2/2', 'answer 4 1/1']);
  expect(core.gateway.asked.at(-1)?.messages).toEqual([{ role: 'user', content: 'uno' }]);
  await client.messages.show({ messageId: edited.userMessageId, step: -1 });
  expect(await shown(id)).toEqual(['one 1/2', 'answer 1 1/1', 'two 1/1', 'answer 3 2/2']);
  await client.messages.show({ messageId: second.answerId });
  expect((await shown(id)).at(-1)).toBe('answer 2 1/2');
  await client.messages.show({ messageId: first.userMessageId, step: 1 });
  await client.messages.show({ messageId: first.userMessageId });
  expect((await shown(id)).at(-1)).toBe('answer 2 1/2');
  await client.messages.show({ messageId: second.answerId, step: -1 });
  expect((await shown(id)).at(-1)).toBe('answer 2 1/2');
});

test('a request contains the branch above the question, not its siblings', async () => {
  const first = await send('one');
  const second = await send('two', { conversationId: first.conversationId });
  await send('zwei', { editOf: second.userMessageId });
  expect(core.gateway.asked.at(-1)?.messages.map(({ content }) => content)).toEqual(['one', 'answer 1', 'zwei']);
});

test('removing a message removes all below it, shows a sibling, and can be undone completely', async () => {
  const { client } = core;
  const first = await send('one');
  const id = first.conversationId;
  await ended(client.chat.regenerate({ answerId: first.answerId }));
  await send('two', { conversationId: id });
  const before = await shown(id);
  const { messages } = await readThread(client, id);
  const removal = await client.messages.remove({ messageId: messages[1]?.id ?? '' });
  expect(removal.messages).toBe(3);
  expect(await shown(id)).toEqual(['one 1/1', 'answer 1 1/1']);
  await client.messages.restore(removal);
  expect(await shown(id)).toEqual(before);
  await expect(client.messages.restore(removal)).rejects.toMatchObject({ code: 'not_found' });
});

test('nested removals can be undone in any order', async () => {
  const { client } = core;
  const first = await send('one');
  const id = first.conversationId;
  const second = await send('two', { conversationId: id });
  const before = await shown(id);
  const inner = await client.messages.remove({ messageId: second.userMessageId });
  const outer = await client.messages.remove({ messageId: first.userMessageId });
  expect(await shown(id)).toEqual([]);
  await client.messages.restore(inner);
  expect(await shown(id)).toEqual([]);
  await client.messages.restore(outer);
  await client.messages.show({ messageId: second.answerId });
  expect(await shown(id)).toEqual(before);
});

test('the last answer can be removed, and its question answered again', async () => {
  const { client } = core;
  const first = await send('one');
  await client.messages.remove({ messageId: first.answerId });
  expect(await shown(first.conversationId)).toEqual(['one 1/1']);
  await ended(client.chat.answer({ questionId: first.userMessageId, model }));
  expect(await shown(first.conversationId)).toEqual(['one 1/1', 'answer 2 1/1']);
  await client.messages.remove({ messageId: first.userMessageId });
  await expect(client.chat.answer({ questionId: first.userMessageId, model })).rejects.toMatchObject({
    code: 'not_found',
  });
  await send('anew', { conversationId: first.conversationId });
  expect(await shown(first.conversationId)).toEqual(['anew 1/1', 'answer 3 1/1']);
});

test('removing an answer while it is being written stops it, and its cost is looked up', async () => {
  const { client, gateway } = core;
  gateway.script = async function* ({ signal }) {
    yield 'Half';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const { conversationId, answerId } = await client.chat.send({ messageId: randomUUID(), text: 'Go', model });
  await readUntil(await client.chat.watch({ conversationId }), (seen) => JSON.stringify(seen).includes('Half'));
  const removal = await client.messages.remove({ messageId: answerId });
  const { runningIds, conversation } = await readThread(client, conversationId);
  expect([runningIds, conversation.live]).toEqual([[], false]);
  await client.messages.restore(removal);
  await expect
    .poll(async () => (await readThread(client, conversationId)).messages[1])
    .toMatchObject({ text: 'Half', status: 'cancelled', costSource: 'byok', costUsd: '0.000007' });
});

test('the text of a removed message is deleted after a day, and its cost stays', async () => {
  const { client } = core;
  const first = await send('a secret');
  const other = await send('beside');
  const removal = await client.messages.remove({ messageId: first.userMessageId });
  now += 25 * 3_600_000;
  await client.messages.remove({ messageId: other.answerId });
  await expect(client.messages.restore(removal)).rejects.toMatchObject({ code: 'not_found' });
  const { default: Sqlite } = await import('better-sqlite3');
  const db = new Sqlite(`${core.dataFolder}/portico.db`, { readonly: true });
  const rows = db.prepare('select text, cost_usd from messages where conversation_id = ?').all(first.conversationId);
  db.close();
  expect(rows).toEqual([
    { text: '', cost_usd: null },
    { text: '', cost_usd: '0.000007' },
  ]);
});

test('a continued answer is one text for the model, with a request and a bill for each part', async () => {
  const { client, gateway } = core;
  await client.models.list();
  gateway.script = async function* ({ signal }) {
    yield 'The first half';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const started = await client.chat.send({ messageId: randomUUID(), text: 'Tell me', model });
  const { conversationId: id, answerId } = started;
  await readUntil(await client.chat.watch({ conversationId: id }), (seen) => JSON.stringify(seen).includes('half'));
  await client.chat.stop({ answerId });
  gateway.script = async function* () {
    yield ' and the second.';
  };
  const more = await ended(client.chat.continue({ answerId }));
  expect(more.userMessageId).toBe(started.userMessageId);
  expect(gateway.asked.at(-1)?.messages).toEqual([
    { role: 'user', content: 'Tell me' },
    { role: 'assistant', content: 'The first half' },
    { role: 'user', content: expect.stringContaining('cut off') },
  ]);
  await expect
    .poll(async () => (await readThread(client, id)).messages.map(({ costUsd }) => costUsd))
    .toEqual([null, '0.000007', '0.000007']);
  const { messages } = await readThread(client, id);
  expect(messages.map(({ continues }) => continues)).toEqual([false, false, true]);
  expect(new Set(messages.map(({ requestId }) => requestId)).size).toBe(3);
  await send('Thanks', { conversationId: id });
  expect(gateway.asked.at(-1)?.messages).toEqual([
    { role: 'user', content: 'Tell me' },
    { role: 'assistant', content: 'The first half and the second.' },
    { role: 'user', content: 'Thanks' },
  ]);
  await ended(client.chat.regenerate({ answerId: more.answerId }));
  expect((await readThread(client, id)).messages.map(({ sibling }) => sibling)).toEqual([
    { index: 1, count: 1 },
    { index: 2, count: 2 },
  ]);
});

test('a failed answer is continued from the text that had arrived', async () => {
  const { client, gateway } = core;
  gateway.script = async function* () {
    yield 'So far';
    throw new Error('socket hang up');
  };
  const { answerId } = await send('Tell me');
  await ended(client.chat.continue({ answerId }));
  expect(
    gateway.asked
      .at(-1)
      ?.messages.map(({ content }) => content)
      .slice(0, 2),
  ).toEqual(['Tell me', 'So far']);
});

test('ten thousand messages are read in pages, from any message, without a gap', async () => {
  const { client, dataFolder } = core;
  const id = addLongConversation(dataFolder, 10_000);
  const events = (await client.chat.watch({ conversationId: id }))[Symbol.asyncIterator]();
  const next = async () => {
    const { value: event, done } = await events.next();
    if (done || (event.type !== 'snapshot' && event.type !== 'page')) throw new Error('no page');
    return { ...event, ids: event.messages.map((message) => message.id) };
  };
  const named = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `long-${from + at}`);
  const end = await next();
  expect(end).toMatchObject({ ids: named(9940, 10_000), hasOlder: true, hasNewer: false });
  const readerId = end.type === 'snapshot' ? end.readerId : '';
  let seen = end.ids;
  for (let more = end.hasOlder; more; ) {
    const read = client.chat.page({ readerId, to: 'older', messageId: seen[0] ?? '' });
    const page = await next();
    await read;
    seen = [...page.ids.slice(0, -1), ...seen];
    more = page.hasOlder;
  }
  expect(seen).toEqual(named(0, 10_000));
  const jump = client.chat.page({ readerId, to: 'message', messageId: 'long-5000' });
  expect(await next()).toMatchObject({ ids: named(4970, 5031), hasOlder: true, hasNewer: true });
  await jump;
  await events.return?.();
});

test('a conversation opens again at its scroll position, as long as its branch is shown', async () => {
  const { client } = core;
  const first = await send('one');
  const id = first.conversationId;
  for (const text of ['two', 'three', 'four']) await send(text, { conversationId: id });
  const scrollPosition = { messageId: first.answerId, offsetPx: 40 };
  await client.conversations.keepScrollPosition({ id, scrollPosition });
  const there = await readThread(client, id, { at: 'scroll_position', limit: 4 });
  expect(there).toMatchObject({ scrollPosition, hasOlder: false, hasNewer: true });
  expect((await readThread(client, id, { limit: 4 })).hasOlder).toBe(true);
  await send('uno', { editOf: first.userMessageId });
  expect((await readThread(client, id, { at: 'scroll_position' })).scrollPosition).toBeNull();
});

test('unsent edits and expanded parts are stored with their conversation, and deleted with it', async () => {
  const { client } = core;
  const { conversationId, userMessageId: messageId, answerId } = await send('one');
  const view = () => client.messages.view({ conversationId });
  expect(await view()).toEqual({ edits: [], expanded: [] });
  await client.messages.keepEdit({ messageId, text: 'one and', known: null });
  await client.messages.keepEdit({ messageId, text: '', known: 'one and' });
  await client.messages.keepExpanded({ conversationId, expanded: [`${answerId}:reasoning`] });
  const other = await send('other');
  expect(await client.messages.view({ conversationId: other.conversationId })).toEqual({ edits: [], expanded: [] });
  expect(await view()).toEqual({ edits: [{ messageId, text: '' }], expanded: [`${answerId}:reasoning`] });
  await client.messages.keepEdit({ messageId, text: null, known: '' });
  expect((await view()).edits).toEqual([]);
  await client.messages.keepEdit({ messageId, text: 'again', known: null });
  await client.conversations.remove({ id: conversationId });
  expect((await client.drafts.get({ chat: `edit:${messageId}` })).text).toBe('');
  await expect(client.messages.keepEdit({ messageId, text: 'too late', known: null })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('an edit that another window has changed meanwhile is returned, and neither replaced nor deleted', async () => {
  const { client } = core;
  const { conversationId, userMessageId: messageId } = await send('one');
  const keep = (text: string | null, known: string | null) => client.messages.keepEdit({ messageId, text, known });
  const other = { text: 'one of the first', message: 'one' };
  expect(await keep('one of the first', null)).toEqual({ other: null });
  for (const text of ['one of the second', null]) expect(await keep(text, null)).toEqual({ other });
  expect((await client.messages.view({ conversationId })).edits).toEqual([{ messageId, text: other.text }]);
  expect(await keep('both', other.text)).toEqual({ other: null });
  expect(await keep(null, 'both')).toEqual({ other: null });
  expect(await keep('again', 'both')).toEqual({ other: null });
  await keep(null, 'again');
});

test('the last opened conversation is remembered until it is removed or put in the trash', async () => {
  const { client } = core;
  expect(await client.conversations.lastOpened()).toEqual({ id: null });
  const { conversationId: id } = await send('one');
  await client.conversations.opened({ id });
  expect(await client.conversations.lastOpened()).toEqual({ id });
  await client.organise.change({ ids: [id], change: { trashed: true } });
  expect(await client.conversations.lastOpened()).toEqual({ id: null });
  await client.organise.change({ ids: [id], change: { trashed: false } });
  expect(await client.conversations.lastOpened()).toEqual({ id });
  await client.conversations.remove({ id });
  expect(await client.conversations.lastOpened()).toEqual({ id: null });
});

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ChatEvent } from '#shared/contract/chat/chat.ts';
import { coreOfTest, type TestCore } from '../../../tests/support/core-of-test.ts';
import { readThread } from '../../../tests/support/read-thread.ts';
import { readUntil } from '../../../tests/support/test-core.ts';

const ask = (text: string) => ({ messageId: randomUUID(), text, model: 'openai/gpt' });
const has = (type: ChatEvent['type']) => (seen: readonly ChatEvent[]) => seen.at(-1)?.type === type;
const openWatch = ({ client }: TestCore, conversationId: string) => client.chat.watch({ conversationId });
/** Reads events until `enough` is true, without ending the stream. */
async function until(events: AsyncIterator<ChatEvent>, enough: (seen: readonly ChatEvent[]) => boolean) {
  const seen: ChatEvent[] = [];
  while (!enough(seen)) {
    const { value, done } = await events.next();
    if (done) throw new Error('the stream ended');
    seen.push(value);
  }
  return seen;
}
async function answered(core: TestCore, input: Parameters<TestCore['client']['chat']['send']>[0]) {
  const started = await core.client.chat.send(input);
  const stream = await openWatch(core, started.conversationId);
  await readUntil(stream, (seen) => {
    const last = seen.at(-1);
    return last?.type === 'message-updated' || (last?.type === 'snapshot' && last.answers.length === 0);
  });
  return started;
}
const numbered = (events: readonly ChatEvent[]) => events.flatMap((event) => ('seq' in event ? [event.seq] : []));
const ids = (messages: readonly { id: string }[]) => messages.map(({ id }) => id);

test('a watch begins with a snapshot, numbers its events, and sends the bill and the total when an answer ends', async () => {
  const core = await coreOfTest();
  const first = await answered(core, ask('One'));
  const events = (await openWatch(core, first.conversationId))[Symbol.asyncIterator]();
  const [snapshot] = await until(events, has('snapshot'));
  expect(snapshot).toMatchObject({
    seq: 1,
    hasOlder: false,
    hasNewer: false,
    scrollPosition: null,
    answers: [],
    conversation: { id: first.conversationId, title: 'One' },
    messages: [{ text: 'One' }, { text: 'Hello', modelName: 'gpt', costUsd: '0.000007' }],
    total: { usd: '0.000007', requests: 1, unknown: 0 },
  });
  const second = { ...ask('Two'), conversationId: first.conversationId, model: 'openai/mini' };
  const { answerId } = await core.client.chat.send(second);
  const seen = await until(events, has('message-updated'));
  expect(seen.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['message-added', 'message-added', 'conversation-updated', 'text-delta', 'message-updated']),
  );
  expect(numbered(seen)).toEqual(numbered(seen).map((_, at) => at + 2));
  expect(seen.find(({ type }) => type === 'conversation-updated')).toMatchObject({
    conversation: { model: 'openai/mini' },
  });
  expect(seen.at(-1)).toMatchObject({
    message: { id: answerId, status: 'done', text: 'Hello', costUsd: '0.000007', bill: { lines: expect.any(Array) } },
    total: { usd: '0.000014', requests: 2 },
  });
  await events.return?.();
});

test('a watch sends the messages that are shown after a sibling is chosen, a message is removed or a removal is undone', async () => {
  const core = await coreOfTest();
  const { client } = core;
  const first = await answered(core, ask('One'));
  const { conversationId } = first;
  const second = await answered(core, { ...ask('Two'), conversationId });
  const other = await answered(core, { ...ask('Two, otherwise'), conversationId, editOf: second.userMessageId });
  const events = (await openWatch(core, conversationId))[Symbol.asyncIterator]();
  await until(events, has('snapshot'));
  await client.messages.show({ messageId: other.userMessageId, step: -1 });
  expect((await until(events, has('branch-shown'))).at(-1)).toMatchObject({
    messages: [{ id: second.userMessageId, parentId: first.answerId }, { id: second.answerId }],
    hasNewer: false,
  });
  const { deletionId } = await client.messages.remove({ messageId: second.userMessageId });
  const [removed] = await until(events, has('branch-shown'));
  expect(removed).toMatchObject({
    messages: [{ id: first.answerId }, { id: other.userMessageId, sibling: { index: 1, count: 1 } }, {}],
  });
  await client.messages.restore({ deletionId });
  const [restored] = await until(events, has('snapshot'));
  expect(restored?.type === 'snapshot' && ids(restored.messages)).toContain(first.userMessageId);
  await client.conversations.rename({ id: conversationId, title: 'Porches' });
  expect((await until(events, has('conversation-updated'))).at(-1)).toMatchObject({
    conversation: { title: 'Porches' },
  });
  await events.return?.();
});

test('pages arrive in the stream in order with all other events, and are refused when the thread is not watched', async () => {
  const core = await coreOfTest();
  const { client } = core;
  const { conversationId } = await answered(core, ask('1'));
  for (const text of ['2', '3', '4']) await answered(core, { ...ask(text), conversationId });
  const other = await answered(core, ask('In another chat'));
  const all = (await readThread(client, conversationId)).messages;
  const stream = await client.chat.watch({ conversationId, limit: 2 });
  const events = stream[Symbol.asyncIterator]();
  const [snapshot] = await until(events, has('snapshot'));
  if (snapshot?.type !== 'snapshot') throw new Error('no snapshot');
  expect(ids(snapshot.messages)).toEqual(ids(all.slice(-2)));
  const { readerId } = snapshot;
  const edge = snapshot.messages[0]?.id ?? '';
  const page = client.chat.page({ readerId, to: 'older', messageId: edge });
  expect((await until(events, has('page'))).at(-1)).toMatchObject({
    seq: 2,
    at: 'older',
    edgeId: edge,
    hasOlder: false,
  });
  await page;
  const around = client.chat.page({ readerId, to: 'message', messageId: all[1]?.id ?? '' });
  const [jumped] = await until(events, has('snapshot'));
  expect(jumped?.type === 'snapshot' && ids(jumped.messages)).toEqual(ids(all));
  await around;
  const gone = client.chat.page({ readerId, to: 'newer', messageId: 'nowhere' });
  const elsewhere = client.chat.page({ readerId, to: 'message', messageId: other.answerId });
  const renamed = until(events, has('conversation-updated'));
  await client.conversations.rename({ id: conversationId, title: 'Still sent' });
  await expect(gone).rejects.toMatchObject({ code: 'not_found' });
  await expect(elsewhere).rejects.toMatchObject({ code: 'not_found' });
  expect(await renamed).toHaveLength(1);
  const waiting = client.chat.page({ readerId, to: 'end' });
  await events.return?.();
  await expect(waiting).rejects.toMatchObject({ code: 'not_found' });
  await expect(client.chat.page({ readerId, to: 'end' })).rejects.toMatchObject({ code: 'not_found' });
});

test('a reader that stalls gets a snapshot with everything it missed when it reads again', async () => {
  const core = await coreOfTest();
  const { conversationId } = await answered(core, ask('One'));
  const events = (await openWatch(core, conversationId))[Symbol.asyncIterator]();
  await until(events, has('snapshot'));
  const words = 'x'.repeat(50_000);
  core.gateway.script = async function* () {
    for (let at = 0; at < 20; at += 1) yield words;
  };
  await answered(core, { ...ask('Long'), conversationId });
  const seen = await until(events, (all) => all.some(({ type }) => type === 'snapshot'));
  const snapshot = seen.at(-1);
  expect(snapshot).toMatchObject({ type: 'snapshot', answers: [] });
  if (snapshot?.type !== 'snapshot') throw new Error('no snapshot');
  expect(snapshot.messages.at(-1)).toMatchObject({ status: 'done', text: words.repeat(20) });
  expect(numbered(seen)).toEqual(numbered(seen).map((_, at) => at + 2));
  expect(seen.reduce((sum, event) => sum + ('text' in event ? event.text.length : 0), 0)).toBeLessThan(600_000);
  await events.return?.();
});

test('a conversation that is removed ends its streams', async () => {
  const core = await coreOfTest();
  const { conversationId } = await answered(core, ask('One'));
  const events = (await openWatch(core, conversationId))[Symbol.asyncIterator]();
  await until(events, has('snapshot'));
  await core.client.conversations.remove({ id: conversationId });
  await expect(events.next()).rejects.toMatchObject({ code: 'not_found' });
});

test('removing a chat right after it was renamed ends the watch with the reason', async () => {
  const core = await coreOfTest();
  const { conversationId } = await answered(core, ask('One'));
  const events = (await openWatch(core, conversationId))[Symbol.asyncIterator]();
  await until(events, has('snapshot'));
  await core.client.conversations.rename({ id: conversationId, title: 'Two' });
  await core.client.conversations.remove({ id: conversationId });
  const rest = until(events, () => false);
  await expect(rest).rejects.toMatchObject({ code: 'not_found', data: { refusal: { name: 'conversationGone' } } });
});

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { chatEnded } from '../../../tests/support/chat-ended.ts';
import type { TestCore } from '../../../tests/support/core-of-test.ts';
import { coreWithGateway } from '../../../tests/support/core-with-gateway.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { readThread, readTotal } from '../../../tests/support/read-thread.ts';
import { readUntil } from '../../../tests/support/test-core.ts';
import { maxResult, maxRounds } from './rounds.ts';

/** The real gateway runs in this process, with its simulated model that calls tools. The tool server is real too. */
const greeter = fileURLToPath(new URL('../../../tests/support/mcp/greeter.ts', import.meta.url));
let core: TestCore;
let { client } = {} as typeof core;

beforeAll(async () => {
  core = await coreWithGateway();
  ({ client } = core);
  await client.tools.enableBuiltIn({ name: 'calculator', enabled: true });
  const transport = { type: 'stdio' as const, command: process.execPath, args: [greeter] };
  const { id } = await client.tools.addServer({ name: 'Greeter', transport });
  const { fingerprint } = await client.tools.testServer({ id });
  await client.tools.enableServer({ id, enabled: true, fingerprint });
});
afterAll(() => core.close());

const model = 'sandbox/tools';
const ask = (text: string, conversationId: string | null = null, asked = model) =>
  client.chat.send({ messageId: randomUUID(), conversationId, text, model: asked });
const read = async (id: string) => (await readThread(client, id, { limit: 400 })).messages;
const ended = (id: string) => chatEnded(client, id);
const getRuns = (messages: readonly Message[]) =>
  messages.flatMap(({ toolCalls }) => toolCalls.map(({ run }) => [run?.state, run?.result]));
/** Waits until a call waits for the user. */
async function waiting(conversationId: string): Promise<Message> {
  const events = await readUntil(await client.chat.watch({ conversationId }), (seen) => {
    const last = seen.at(-1);
    const messages = last?.type === 'snapshot' ? last.answers : last?.type === 'message-updated' ? [last.message] : [];
    return messages.some(({ toolCalls }) => toolCalls.some(({ run }) => run?.state === 'waiting'));
  });
  const last = events.at(-1);
  const found = last?.type === 'snapshot' ? last.answers[0] : last?.type === 'message-updated' ? last.message : null;
  if (!found) throw new Error('nothing waits');
  return found;
}
/** Returns what the ledger charged for this chat's requests, to the nano-dollar. */
async function getLedger(messages: readonly Message[]): Promise<string> {
  const { transactions } = await client.credits.get({ billingAccount: 'sandbox', limit: 100 });
  const { data } = transactions;
  const ids = new Set<string | null>(messages.flatMap(({ requestId }) => requestId ?? []));
  const sum = data.filter((line) => ids.has(line.request_id)).reduce((all, line) => all - parseUsd(line.amount), 0n);
  return formatUsd(nanoUsd(sum));
}

test('each round of tool calls is a request with its own bill, and the bills add up to the ledger', async () => {
  const { conversationId } = await ask('What is 2 + 3, and 10 / 4?');
  const messages = await ended(conversationId);
  expect(messages.map(({ role, continues, finishReason }) => [role, continues, finishReason])).toEqual([
    ['user', false, null],
    ['assistant', false, 'tool_calls'],
    ['assistant', true, 'tool_calls'],
    ['assistant', true, 'stop'],
  ]);
  expect(getRuns(messages)).toEqual([
    ['done', '5'],
    ['done', '2.5'],
  ]);
  expect(messages[1]?.toolCalls[0]).toMatchObject({
    name: 'calculator',
    arguments: '{"expression":"2 + 3"}',
    run: { server: 'Portico', title: 'Calculator' },
  });
  expect(messages[3]?.text).toMatch(/5[\s\S]*2\.5/);
  expect(new Set(messages.slice(1).map(({ requestId }) => requestId)).size).toBe(3);
  await eventually(async () => {
    const total = await readTotal(client, conversationId);
    expect(total).toMatchObject({ requests: 3, unknown: 0, testCreditsUsd: await getLedger(messages) });
    expect(total.auxiliary).toMatchObject([{ purpose: 'tool', requests: 2 }]);
    expect(Number(total.testCreditsUsd)).toBeGreaterThan(0);
  });
});

test('a server’s tool runs only after the user has allowed it, and permission for a chat covers the whole chat', async () => {
  const { conversationId } = await ask('Please greet somebody');
  const asked = await waiting(conversationId);
  const [call] = asked.toolCalls;
  expect(call?.run).toMatchObject({ server: 'Greeter', startedAt: null, result: '' });
  expect((await client.conversations.list({})).conversations.find(({ id }) => id === conversationId)).toMatchObject({
    live: true,
    waiting: true,
  });
  await client.chat.decideTool({ messageId: asked.id, call: 0, decision: 'chat' });
  expect(getRuns(await ended(conversationId))).toEqual([['done', 'Hello, Please greet somebody!']]);
  await expect(client.chat.decideTool({ messageId: asked.id, call: 0, decision: 'once' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await ask('Please greet somebody else', conversationId);
  expect(getRuns(await ended(conversationId)).map(([state]) => state)).toEqual(['done', 'done']);
  const other = await ask('Please greet me in a new chat');
  const again = await waiting(other.conversationId);
  await client.chat.decideTool({ messageId: again.id, call: 0, decision: 'deny' });
  const denied = await ended(other.conversationId);
  expect(getRuns(denied)).toEqual([['denied', '']]);
  expect(denied.at(-1)).toMatchObject({ status: 'done', text: expect.stringContaining('did not allow') });
});

test('stopping while a tool call waits ends the turn, and the chat can be continued', async () => {
  const { conversationId, answerId } = await ask('Please greet somebody');
  await waiting(conversationId);
  await client.chat.stop({ answerId });
  const stopped = await read(conversationId);
  expect(stopped.at(-1)).toMatchObject({ status: 'cancelled', finishReason: 'tool_calls' });
  expect(getRuns(stopped)).toEqual([['stopped', '']]);
  await ask('What is 1 + 1?', conversationId);
  const messages = await ended(conversationId);
  expect(messages.at(-1)).toMatchObject({ status: 'done', text: expect.stringContaining('2') });
  expect(await getLedger(messages)).toBe((await readTotal(client, conversationId)).testCreditsUsd);
});

test('stopping ends a tool that never answers, and its call is stored as stopped after its start', async () => {
  const { conversationId, answerId } = await ask('Please wait');
  const asked = await waiting(conversationId);
  await client.chat.decideTool({ messageId: asked.id, call: 0, decision: 'once' });
  await eventually(async () => expect(getRuns(await read(conversationId))).toEqual([['running', '']]));
  await client.chat.stop({ answerId });
  const stopped = (await read(conversationId)).at(-1);
  expect(stopped).toMatchObject({ status: 'cancelled', toolCalls: [{ run: { state: 'stopped', finishedAt: null } }] });
  expect(stopped?.toolCalls[0]?.run?.startedAt).toEqual(expect.any(Number));
});

test('a long tool result is cut, with a note to the model', async () => {
  const { conversationId } = await ask('Say much');
  const asked = await waiting(conversationId);
  await client.chat.decideTool({ messageId: asked.id, call: 0, decision: 'once' });
  const [[state, result] = []] = getRuns(await ended(conversationId));
  expect([state, (result ?? '').length < maxResult + 100]).toEqual(['done', true]);
  expect(result).toMatch(/cut after 50000 of \d+ characters/);
});

test('stopping an earlier round of an answer stops the round that is running', async () => {
  const { conversationId, answerId } = await ask('What is 1 + 1? Then greet');
  await waiting(conversationId);
  await client.chat.stop({ answerId });
  expect((await read(conversationId)).at(-1)).toMatchObject({ status: 'cancelled' });
});

test('a turn ends after the last allowed round with a note, and Continue carries on from there', async () => {
  const sums = Array.from({ length: maxRounds + 2 }, (_, at) => `${at + 1} + 1`);
  const { conversationId } = await ask(`Work out: ${sums.join(', ')}`);
  const messages = await ended(conversationId);
  expect(messages).toHaveLength(1 + maxRounds);
  const last = messages.at(-1);
  expect(last).toMatchObject({ status: 'done', toolCalls: [{ run: { state: 'skipped' } }] });
  await client.chat.continue({ answerId: last?.id ?? '' });
  const whole = await ended(conversationId);
  expect(whole.at(-1)).toMatchObject({ status: 'done', finishReason: 'stop' });
  expect(getRuns(whole).filter(([state]) => state === 'done')).toHaveLength(sums.length - 1);
});

test('later rounds use the model that the router chose, and a regenerated answer asks the router again', async () => {
  const { conversationId } = await ask('What is 3 * 3?', null, 'router');
  const first = await ended(conversationId);
  expect(first.slice(1).map((message) => message.model)).toEqual(['router', 'sandbox/tools']);
  await client.chat.regenerate({ answerId: first.at(-1)?.id ?? '' });
  expect((await ended(conversationId)).slice(1).map((message) => message.model)).toEqual(['router', 'sandbox/tools']);
  expect((await readThread(client, conversationId)).conversation.model).toBe('router');
});

test('tools that are switched off for a chat are not offered in it', async () => {
  const { conversationId } = await ask('What is 7 * 6?');
  await ended(conversationId);
  const options = await client.options.get({ chat: conversationId });
  await client.options.set({ chat: conversationId, options: { ...options, tools: false } });
  await ask('And 7 * 7?', conversationId);
  const messages = await ended(conversationId);
  expect(messages.at(-1)).toMatchObject({ toolCalls: [], text: expect.stringContaining('No tool was offered') });
});

test('a chat with tool calls is the same after an export and an import', async () => {
  const { conversationId } = await ask('What is 8 / 2?');
  const before = await ended(conversationId);
  const texts = { json: '', markdown: '', html: '' };
  for (const format of ['json', 'markdown', 'html'] as const)
    for await (const { text } of await client.transfer.export({ ids: [conversationId], format })) texts[format] += text;
  expect(texts.markdown).toMatch(/Calculator[\s\S]*8 \/ 2[\s\S]*4/);
  expect(texts.html).toMatch(/Calculator[\s\S]*8 \/ 2[\s\S]*4/);
  await client.conversations.remove({ id: conversationId });
  const { uploadId } = await client.transfer.beginImport();
  const base64 = Buffer.from(texts.json).toString('base64');
  await client.transfer.appendImport({ uploadId, offset: 0, base64 });
  await client.transfer.commitImport({ uploadId, sourceIds: null });
  expect((await read(conversationId)).map(({ toolCalls, text }) => [toolCalls, text])).toEqual(
    before.map(({ toolCalls, text }) => [toolCalls, text]),
  );
});

test('search finds a tool’s result until its message is deleted', async () => {
  const { conversationId } = await ask('Please greet the quokka');
  const asked = await waiting(conversationId);
  await client.chat.decideTool({ messageId: asked.id, call: 0, decision: 'once' });
  await ended(conversationId);
  const found = async (query: string) =>
    (await client.search.find({ query })).hits.flatMap(({ conversation, message }) =>
      message?.inTool && conversation.id === conversationId
        ? [{ id: message.id, words: message.snippet.map(({ text }) => text).join('') }]
        : [],
    );
  expect(await found('quokka hello')).toEqual([{ id: asked.id, words: 'greet: Hello, Please greet the quokka!' }]);
  expect(await found('role:assistant hell')).toHaveLength(1);
  expect(await found('role:user hell')).toEqual([]);
  await client.messages.remove({ messageId: asked.id });
  expect(await found('quokka hello')).toEqual([]);
});

test('search finds a tool’s result in a script without spaces, and its pages repeat no hit', async () => {
  const { conversationId } = await ask('Please greet 数据库索引');
  const asked = await waiting(conversationId);
  await client.chat.decideTool({ messageId: asked.id, call: 0, decision: 'chat' });
  await ended(conversationId);
  const page = async (cursor: string | null) => client.search.find({ query: '数据库', limit: 1, cursor });
  const ids: string[] = [];
  for (let next: string | null = null, first = true; first || next !== null; first = false) {
    const { hits, nextCursor } = await page(next);
    ids.push(...hits.flatMap(({ message }) => message?.id ?? []));
    next = nextCursor;
  }
  expect(ids).toContain(asked.id);
  expect(new Set(ids).size).toBe(ids.length);
});

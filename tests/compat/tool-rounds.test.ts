import { randomUUID } from 'node:crypto';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { chatEnded } from '../support/chat-ended.ts';
import { eventually } from '../support/eventually.ts';
import { readTotal } from '../support/read-thread.ts';
import { testCore } from '../support/test-core.ts';

/** Tests a chat of the app that calls tools, against three kinds of upstreams that somebody else wrote. */
const mock = new LLMock({ port: 0, host: '127.0.0.1' });
let core: Awaited<ReturnType<typeof testCore>>;
let { client } = {} as typeof core;
const kinds = ['openai/gpt-5.4-mini', 'anthropic/claude-sonnet-5', 'google/gemini-3.8-flash'];

beforeAll(async () => {
  const origin = await mock.start();
  core = await testCore({ openGateway });
  ({ client } = core);
  const bases = { openai: `${origin}/v1`, anthropic: origin, google: origin } as const;
  for (const id of ['openai', 'anthropic', 'google'] as const)
    await client.providers.setKey({ id, key: 'platform-key', baseUrl: bases[id] });
  await client.models.list();
  await client.tools.enableBuiltIn({ name: 'calculator', enabled: true });
});
afterAll(async () => {
  await core?.close();
  await mock.stop();
});
beforeEach(() => mock.reset());

const ask = (model: string, text: string, conversationId: string | null = null) =>
  client.chat.send({ messageId: randomUUID(), conversationId, text, model });
const ended = (id: string) => chatEnded(client, id);
const sum = (amounts: readonly string[]) =>
  formatUsd(nanoUsd(amounts.reduce((all, amount) => all + parseUsd(amount), 0n)));

/** Returns the sum of the ledger's charges for these messages. */
async function getCharges(messages: readonly Message[]): Promise<string> {
  const { transactions } = await client.credits.get({ billingAccount: 'main', limit: 100 });
  const ids = new Set(messages.flatMap(({ requestId }) => requestId ?? []));
  const lines = transactions.data.filter(({ request_id }) => request_id !== null && ids.has(request_id));
  return sum(lines.map(({ amount }) => amount.replace('-', '')));
}
const calculate = (expression: unknown) => ({
  toolCalls: [{ name: 'calculator', arguments: { expression } as Record<string, unknown> }],
});

describe.each(kinds)('%s', (model) => {
  test('calls a tool, gets its result, and costs what the ledger charged', async () => {
    mock.on({ userMessage: 'multiply', hasToolResult: false }, { content: 'Let me see.', ...calculate('6 * 7') });
    mock.on({ userMessage: 'multiply', hasToolResult: true }, { content: 'It is 42.' });
    const { conversationId } = await ask(model, 'Please multiply');
    const messages = await ended(conversationId);
    expect(messages.slice(1).map(({ status, text, error }) => [status, text, error])).toEqual([
      ['done', 'Let me see.', null],
      ['done', 'It is 42.', null],
    ]);
    expect(messages[1]?.toolCalls).toMatchObject([{ name: 'calculator', run: { state: 'done', result: '42' } }]);
    expect(JSON.stringify(mock.getRequests().at(-1)?.body)).toContain('42');
    await eventually(async () => {
      const total = await readTotal(client, conversationId);
      expect(total).toMatchObject({ requests: 2, unknown: 0, usd: await getCharges(messages) });
      expect(total.auxiliary).toMatchObject([{ purpose: 'tool', requests: 1 }]);
    });
  });

  test('gets the reason why a call was not run, and every call has a result', async () => {
    const calls = [...calculate(3).toolCalls, { name: 'no_such_tool', arguments: {} as Record<string, unknown> }];
    mock.on({ userMessage: 'wrongly', hasToolResult: false }, { toolCalls: calls });
    mock.on({ userMessage: 'wrongly', hasToolResult: true }, { content: 'I see.' });
    const messages = await ended((await ask(model, 'Call wrongly')).conversationId);
    expect(messages.at(-1)).toMatchObject({ text: 'I see.', status: 'done' });
    const runs = messages[1]?.toolCalls.map(({ run }) => [run?.state, run?.result]);
    expect(runs).toEqual([
      ['failed', expect.stringContaining('do not fit')],
      ['failed', expect.stringContaining('no tool named')],
    ]);
  });

  test("continues a chat in which another provider's model called tools, with and without tools", async () => {
    const other = kinds[(kinds.indexOf(model) + 1) % kinds.length] ?? model;
    mock.on({ userMessage: 'multiply', hasToolResult: false }, calculate('6 * 7'));
    mock.on({ userMessage: 'multiply', hasToolResult: true }, { content: 'It is 42.' });
    mock.onMessage('And then', { content: 'Then it ends.' });
    const { conversationId } = await ask(other, 'Please multiply');
    await ended(conversationId);
    await ask(model, 'And then?', conversationId);
    expect((await ended(conversationId)).at(-1)).toMatchObject({ status: 'done', text: 'Then it ends.' });
    const options = await client.options.get({ chat: conversationId });
    await client.options.set({ chat: conversationId, options: { ...options, tools: false } });
    await ask(model, 'And then?', conversationId);
    expect((await ended(conversationId)).at(-1)).toMatchObject({ status: 'done', text: 'Then it ends.' });
    const sent = JSON.stringify(mock.getRequests().at(-1)?.body);
    expect(sent).toContain('Used the tool calculator');
    expect(sent).not.toMatch(/tool_use|tool_calls|functionCall/);
  });
});

test('a cap is checked before each round, and the text before it stays', async () => {
  const [model = ''] = kinds;
  mock.on({ userMessage: 'multiply', hasToolResult: false }, { content: 'Let me see.', ...calculate('6 * 7') });
  mock.on({ userMessage: 'multiply', hasToolResult: true }, { content: 'It is 42.' });
  const text = 'Please multiply';
  const { costUsd } = await client.quotes.get({ conversationId: null, text, attachments: [], model });
  const none = { message: null, conversation: null, day: null, month: null };
  await client.caps.set({ ...none, conversation: costUsd?.high ?? null });
  const { conversationId } = await ask(model, text);
  const messages = await ended(conversationId);
  expect(messages.slice(1).map(({ status, text, error }) => [status, text, error?.code ?? null])).toEqual([
    ['done', 'Let me see.', null],
    ['error', '', 'cap_exceeded'],
  ]);
  expect(mock.getRequests()).toHaveLength(1);
  await client.caps.set(none);
  await client.chat.continue({ answerId: messages.at(-1)?.id ?? '' });
  const allMessages = await ended(conversationId);
  expect(allMessages.at(-1)).toMatchObject({ status: 'done', text: 'It is 42.' });
  await eventually(async () =>
    expect(await getCharges(allMessages)).toBe((await readTotal(client, conversationId)).usd),
  );
});

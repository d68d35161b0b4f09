import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ChatEvent } from '#shared/contract/chat/chat.ts';
import { coreOfTest, type TestCore } from '../../../tests/support/core-of-test.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { readThread } from '../../../tests/support/read-thread.ts';
import { readUntil } from '../../../tests/support/test-core.ts';

const ended = (seen: readonly ChatEvent[]) =>
  seen.some((event) => event.type === 'message-updated' && event.message.status !== 'streaming');
const ask = (text = 'What is a portico?', model = 'openai/gpt') => ({ messageId: randomUUID(), text, model });
async function sendAndWait({ client }: TestCore, input: Parameters<TestCore['client']['chat']['send']>[0]) {
  const started = await client.chat.send(input);
  const { messages } = await finished({ client }, started);
  return { ...started, messages };
}
async function finished({ client }: Pick<TestCore, 'client'>, { conversationId }: { conversationId: string }) {
  const events = await client.chat.watch({ conversationId });
  await events.next();
  if ((await readThread(client, conversationId)).runningIds.length > 0) await readUntil(events, ended);
  return readThread(client, conversationId);
}

test('an answer is stored with its text, its model and its cost', async () => {
  const core = await coreOfTest();
  await core.client.models.list();
  core.gateway.script = async function* () {
    yield '(think) columns';
    yield 'A porch ';
    yield 'with columns.';
  };
  const { messages } = await sendAndWait(core, ask());
  expect(messages).toHaveLength(2);
  expect(messages[1]).toMatchObject({
    role: 'assistant',
    text: 'A porch with columns.',
    reasoning: '(think) columns',
    status: 'done',
    servedProvider: 'openai',
    servedModel: 'gpt',
    modelName: 'gpt by openai',
    costUsd: '0.000007',
    costSource: 'byok',
    routeReason: null,
    finishReason: 'stop',
    usage: { promptTokens: 3, completionTokens: 2, cachedTokens: 1, reasoningTokens: 0 },
    sibling: { index: 1, count: 1 },
  });
  expect(messages[1]?.requestId).toMatch(/^req_/);
  expect(core.gateway.asked[0]?.metadata).toEqual({ purpose: 'chat', conversation_id: messages[0]?.conversationId });
});

test('a message that is sent twice is stored once and requested once', async () => {
  const core = await coreOfTest();
  const input = ask();
  const [first, second] = await Promise.all([core.client.chat.send(input), core.client.chat.send(input)]);
  await finished(core, first);
  const third = await core.client.chat.send(input);
  expect([second, third]).toEqual([first, first]);
  expect(core.gateway.asked).toHaveLength(1);
});

test('stopping an answer keeps its text, aborts the request and looks up the cost', async () => {
  const core = await coreOfTest();
  core.gateway.script = async function* ({ signal }) {
    yield 'Half an ';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const { client } = core;
  const { conversationId, answerId } = await client.chat.send(ask());
  const watching = await client.chat.watch({ conversationId });
  await readUntil(watching, (seen) => JSON.stringify(seen).includes('Half an '));
  const costs = await client.chat.watch({ conversationId });
  await costs.next();
  await client.chat.stop({ answerId });
  const { messages } = await readThread(client, conversationId);
  expect(messages[1]).toMatchObject({ text: 'Half an ', status: 'cancelled', finishReason: null, error: null });
  expect(core.gateway.aborted).toEqual([messages[1]?.requestId]);
  const seen = await readUntil(costs, (events) => JSON.stringify(events).includes('"byok"'));
  expect(seen.at(-1)).toMatchObject({ message: { costUsd: '0.000007', costSource: 'byok', status: 'cancelled' } });
  await expect(client.chat.stop({ answerId })).resolves.toBeUndefined();
});

test('a refused answer has the gateway\u2019s code and message, and the next request leaves it out', async () => {
  const core = await coreOfTest();
  const message = 'Your balance is too low.';
  core.gateway.refusal = { status: 402, code: 'insufficient_credits', message, retryAfter: '2' };
  const { conversationId, messages } = await sendAndWait(core, ask('First'));
  expect(messages[1]).toMatchObject({
    status: 'error',
    text: '',
    costUsd: '0',
    costSource: 'uncharged',
    error: { code: 'insufficient_credits', message, retryAfterMs: 2000 },
  });
  core.gateway.refusal = null;
  await sendAndWait(core, { ...ask('Second'), conversationId });
  expect(core.gateway.asked.at(-1)?.messages).toEqual([
    { role: 'user', content: 'First' },
    { role: 'user', content: 'Second' },
  ]);
});

test.each([
  'rate_limit_exceeded',
  'token_rate_limit_exceeded',
  'concurrency_limit_exceeded',
  'upstream_rate_limited',
  'a_code_of_another_gateway',
])('a rate limit (%s) keeps its retry time, before the first word and after it', async (code) => {
  const core = await coreOfTest();
  const known = code.startsWith('a_') ? 'rate_limit_exceeded' : code;
  core.gateway.refusal = { status: 429, code, message: 'Too many.', retryAfter: '7' };
  const before = await sendAndWait(core, ask('First'));
  expect(before.messages[1]).toMatchObject({ status: 'error', error: { code: known, retryAfterMs: 7000 } });
  core.gateway.refusal = null;
  core.gateway.script = async function* () {
    yield 'As far as';
    yield JSON.stringify({
      error: {
        message: 'Too many.',
        type: 'rate_limit_error',
        param: null,
        code,
        status_code: 429,
        request_id: 'req_x',
        provider: null,
        retryable: true,
        details: { retry_after_ms: 7000 },
      },
    });
  };
  const after = await sendAndWait(core, ask('Second'));
  expect(after.messages[1]).toMatchObject({
    status: 'error',
    text: 'As far as',
    error: { code: known, retryAfterMs: 7000 },
  });
});

test('an error in mid-stream keeps the text before it, and the provider’s message without its key', async () => {
  const core = await coreOfTest();
  const error = { type: 'upstream_error', param: null, code: 'upstream_error', status_code: 502, retryable: true };
  const reported = { status: 400, code: 'bad', param: null, message: 'Bearer sk-proj-AbCd_1234 may not' };
  const more = { request_id: 'req_x', provider: 'openai', provider_error: reported };
  core.gateway.script = async function* () {
    yield 'As far as';
    yield JSON.stringify({ error: { ...error, ...more, message: 'openai does not know this model.' } });
  };
  const { messages } = await sendAndWait(core, ask());
  expect(messages[1]).toMatchObject({ status: 'error', text: 'As far as', error: { code: 'upstream_error' } });
  expect(messages[1]?.error).toMatchObject({
    message: 'OpenAI does not know this model.',
    status: 502,
    provider: 'openai',
    providerError: { status: 400, code: 'bad', message: 'Bearer [redacted] may not' },
  });
});

test('an answer whose stream is cut off has failed', async () => {
  const core = await coreOfTest();
  core.gateway.script = async function* () {
    yield 'So';
    throw new Error('socket hang up');
  };
  const { messages } = await sendAndWait(core, ask());
  expect(messages[1]).toMatchObject({ status: 'error', text: 'So', error: { code: 'upstream_truncated' } });
});

test('the cost of an answer is unknown, not zero, when its model has no price', async () => {
  const core = await coreOfTest();
  await core.client.models.list();
  const { messages } = await sendAndWait(core, ask('Hi', 'openai/free'));
  expect(messages[1]).toMatchObject({ status: 'done', costUsd: null, costSource: 'unknown' });
});

test('the router is paid with test credits and gives its reason when no provider is set up', async () => {
  const core = await coreOfTest();
  const { messages } = await sendAndWait(core, ask('Hi', 'router'));
  expect(messages[1]).toMatchObject({ simulated: true, routeReason: 'cheapest that fits', servedProvider: 'sandbox' });
});

test('a conversation has one answer at a time, and several conversations are answered at once', async () => {
  const core = await coreOfTest();
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  core.gateway.script = async function* ({ messages }) {
    await gate;
    yield `to ${messages.at(-1)?.content}`;
  };
  const first = await core.client.chat.send(ask('one'));
  const second = await core.client.chat.send(ask('two'));
  const busy = core.client.chat.send({ ...ask('three'), conversationId: first.conversationId });
  await expect(busy).rejects.toMatchObject({ code: 'answer_in_progress' });
  expect((await core.client.conversations.list({})).conversations.map(({ live }) => live)).toEqual([true, true]);
  release();
  for (const [started, text] of [[first, 'to one'] as const, [second, 'to two'] as const]) {
    expect((await finished(core, started)).messages[1]).toMatchObject({ text, status: 'done' });
  }
});

test('another answer is a sibling, and the shown branch continues from the newest one', async () => {
  const core = await coreOfTest();
  let count = 0;
  core.gateway.script = async function* () {
    count += 1;
    yield `answer ${count}`;
  };
  const first = await sendAndWait(core, ask('Q'));
  const again = await core.client.chat.regenerate({ answerId: first.answerId, model: 'openai/free' });
  const { messages } = await finished(core, again);
  expect(messages.map(({ text, sibling, model }) => ({ text, sibling, model }))).toEqual([
    { text: 'Q', sibling: { index: 1, count: 1 }, model: null },
    { text: 'answer 2', sibling: { index: 2, count: 2 }, model: 'openai/free' },
  ]);
  await sendAndWait(core, { ...ask('And?'), conversationId: first.conversationId });
  expect(core.gateway.asked.at(-1)?.messages.map(({ content }) => content)).toEqual(['Q', 'answer 2', 'And?']);
});

test('a second window shows the whole answer so far and follows it without a gap', async () => {
  const core = await coreOfTest();
  core.gateway.script = async function* () {
    for (let index = 0; index < 200; index += 1) {
      if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      yield `${index} `;
    }
  };
  const { conversationId, answerId } = await core.client.chat.send(ask());
  const rebuilt = async () => {
    let text = '';
    for await (const event of await core.client.chat.watch({ conversationId })) {
      if (event.type === 'snapshot') text = event.answers.find(({ id }) => id === answerId)?.text ?? '';
      if (event.type === 'text-delta') {
        expect(event.offset).toBe(text.length);
        text += event.text;
      }
      if (event.type === 'message-updated') return { text, stored: event.message.text };
    }
    throw new Error('the stream ended');
  };
  const early = rebuilt();
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (const { text, stored } of await Promise.all([early, rebuilt()])) {
    expect(text).toBe(stored);
    expect(text.endsWith('199 ')).toBe(true);
  }
});

test('closing the core keeps the text of a running answer, and the next start looks up its cost', async () => {
  const core = await coreOfTest();
  core.gateway.script = async function* ({ signal }) {
    yield 'Until now';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const { conversationId } = await core.client.chat.send(ask());
  await readUntil(await core.client.chat.watch({ conversationId }), (seen) =>
    JSON.stringify(seen).includes('Until now'),
  );
  await core.core.close();
  const next = await coreOfTest({ dataFolder: core.dataFolder, openGateway: async () => core.gateway });
  const events = await next.client.chat.watch({ conversationId });
  await eventually(async () => {
    const { messages } = await readThread(next.client, conversationId);
    expect(messages[1]).toMatchObject({ text: 'Until now', status: 'interrupted', costSource: 'byok' });
  });
  await events.return?.();
});

test('removing a conversation ends its running answer', async () => {
  const core = await coreOfTest();
  core.gateway.script = async function* ({ signal }) {
    yield 'x';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const { conversationId } = await core.client.chat.send(ask());
  await core.client.conversations.remove({ id: conversationId });
  expect((await core.client.conversations.list({})).conversations).toEqual([]);
  await expect(readThread(core.client, conversationId)).rejects.toMatchObject({ code: 'not_found' });
  await expect(core.client.chat.watch({ conversationId }).then((stream) => stream.next())).rejects.toMatchObject({
    code: 'not_found',
  });
});

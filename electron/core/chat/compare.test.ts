import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { columns, models, question, read } from '../../../tests/support/compared.ts';
import { coreOfTest, type TestCore, type TestCoreOptions } from '../../../tests/support/core-of-test.ts';
import { readTotal } from '../../../tests/support/read-thread.ts';

async function start(more: TestCoreOptions = {}) {
  const core = await coreOfTest(more);
  await core.client.models.list();
  return core;
}

/** Makes each model wait in the middle of its answer. `go(model)` ends the answer. */
function gates(core: TestCore) {
  const going = new Map(
    ['openai/mini', 'openai/large', 'sandbox/tour'].map((model) => [model, Promise.withResolvers<void>()]),
  );
  core.gateway.script = async function* ({ model, signal }) {
    yield `${model} begins`;
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await Promise.race([going.get(model)?.promise, aborted]);
    yield ' and ends';
  };
  return (model: string) => going.get(model)?.resolve();
}

test('one question is answered by all models at the same time, each a request of its own with the purpose compare', async () => {
  const core = await start();
  const go = gates(core);
  const { conversationId, answerIds, userMessageId } = await core.client.comparisons.begin(question());
  await expect.poll(() => core.gateway.asked.map(({ model }) => model)).toEqual(models);
  const running = await read(core, conversationId);
  expect(running.runningIds).toEqual(answerIds);
  expect(running.messages.map(({ id }) => id)).toEqual([userMessageId, answerIds[0]]);
  expect(running.messages[0]?.comparing).toBe(running.columns[0]?.comparison?.id);
  expect(running.columns.map(({ comparison }) => comparison?.column)).toEqual([0, 1, 2]);
  const busy = { code: 'answer_in_progress' };
  await expect(core.client.comparisons.begin(question({ conversationId }))).rejects.toMatchObject(busy);
  await expect(core.client.comparisons.choose({ messageId: answerIds[1] ?? '' })).rejects.toMatchObject(busy);
  for (const model of models) go(model);
  const done = await columns(core, conversationId, 'done', 3);
  expect(done.map(({ text }) => text)).toEqual(models.map((model) => `${model} begins and ends`));
  expect(new Set(done.map(({ requestId }) => requestId)).size).toBe(3);
  for (const { metadata } of core.gateway.asked)
    expect(metadata).toEqual({
      purpose: 'compare',
      ...(metadata.conversation_id ? { conversation_id: conversationId } : {}),
    });
  const billed = done.reduce((sum, { costUsd }) => sum + parseUsd(costUsd ?? ''), 0n);
  const total = await readTotal(core.client, conversationId);
  expect(parseUsd(total.usd) + parseUsd(total.testCreditsUsd)).toBe(billed);
  expect(total.auxiliary.map(({ purpose, requests }) => [purpose, requests])).toEqual([
    ['compare', 2],
    ['compare', 1],
  ]);
});

test('a chat that is forked from a column continues with the model of the column', async () => {
  const core = await start();
  const { conversationId, answerIds } = await core.client.comparisons.begin(question());
  await columns(core, conversationId, 'done', 3);
  for (const [column, messageId] of answerIds.entries()) {
    expect((await core.client.conversations.fork({ messageId })).model).toBe(models[column]);
  }
});

test('the same message sent twice is one comparison, and its id is refused for another message', async () => {
  const core = await start();
  const input = question();
  const [first, second] = await Promise.all([
    core.client.comparisons.begin(input),
    core.client.comparisons.begin(input),
  ]);
  await columns(core, first.conversationId, 'done', 3);
  expect([second, await core.client.comparisons.begin(input)]).toEqual([first, first]);
  expect(core.gateway.asked).toHaveLength(3);
  const plain = await core.client.chat.send({ messageId: randomUUID(), text: 'Another', model: 'openai/mini' });
  const taken = core.client.comparisons.begin({ ...input, messageId: plain.userMessageId });
  await expect(taken).rejects.toMatchObject({ code: 'invalid_input' });
});

test('the other columns continue when one stops or fails, and the chat is free when the last one ends', async () => {
  const core = await start();
  const { client } = core;
  core.gateway.script = async function* ({ model, signal }) {
    yield model;
    if (model === 'openai/large') throw new Error('gone');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const { conversationId, answerIds } = await client.comparisons.begin(question());
  await columns(core, conversationId, 'error', 1);
  await expect.poll(async () => (await read(core, conversationId)).columns[0]?.text).toBe('openai/mini');
  await client.chat.stop({ answerId: answerIds[0] ?? '' });
  expect((await read(core, conversationId)).runningIds).toEqual([answerIds[2]]);
  const other = { messageId: randomUUID(), conversationId, text: 'More', model: 'openai/mini' };
  await expect(client.chat.send(other)).rejects.toMatchObject({ code: 'comparison_open' });
  await client.chat.stop({ answerId: answerIds[2] ?? '' });
  const ended = (await read(core, conversationId)).columns.map(({ status }) => status);
  expect(ended).toEqual(['cancelled', 'error', 'cancelled']);
});

test('a failed column can be retried in its place while the others still write', async () => {
  const core = await start();
  const { client } = core;
  let attempts = 0;
  const going = Promise.withResolvers<void>();
  core.gateway.script = async function* ({ model }) {
    yield model;
    if (model === 'openai/large' && attempts++ === 0) throw new Error('gone');
    if (model === 'openai/mini') await going.promise;
  };
  const { conversationId, answerIds } = await client.comparisons.begin(question());
  const [failed] = await columns(core, conversationId, 'error', 1);
  const again = await client.chat.regenerate({ answerId: failed?.id ?? '' });
  await columns(core, conversationId, 'done', 2);
  const now = await read(core, conversationId);
  expect(now.columns.find(({ id }) => id === again.answerId)).toMatchObject({
    status: 'done',
    comparison: { column: 1 },
  });
  expect(now.messages.map(({ id }) => id)).toEqual([now.messages[0]?.id, answerIds[0]]);
  going.resolve();
  await columns(core, conversationId, 'done', 3);
});

test('the thread continues below the chosen column with its model, and all columns can be shown again', async () => {
  const core = await start();
  const { client } = core;
  const { conversationId, answerIds } = await client.comparisons.begin(question());
  await columns(core, conversationId, 'done', 3);
  await client.comparisons.choose({ messageId: answerIds[1] ?? '' });
  const chosen = await read(core, conversationId);
  expect(chosen.columns).toEqual([]);
  expect(chosen.conversation.model).toBe('openai/large');
  expect(chosen.messages[1]).toMatchObject({ id: answerIds[1], sibling: { index: 2, count: 3 } });
  await client.chat.send({ messageId: randomUUID(), conversationId, text: 'Go on', model: 'openai/large' });
  await expect.poll(async () => (await read(core, conversationId)).messages.at(-1)?.status).toBe('done');
  expect(core.gateway.asked.at(-1)?.metadata).toMatchObject({ purpose: 'chat' });
  await client.comparisons.open({ messageId: answerIds[1] ?? '' });
  const reopened = await read(core, conversationId);
  expect(reopened.columns.map(({ id }) => id)).toEqual(answerIds);
  expect(reopened.messages).toHaveLength(4);
  await client.comparisons.choose({ messageId: answerIds[2] ?? '' });
  expect((await read(core, conversationId)).messages.map(({ id }) => id)).toEqual([
    reopened.messages[0]?.id,
    answerIds[2],
  ]);
});

test('spending limits count the sum of all columns before anything is stored, and can be waived for all of them', async () => {
  const core = await start();
  const { client } = core;
  // Each answer may cost about 0.0083, so one of them would fit.
  await client.caps.set({ message: '0.012', conversation: null, day: null, month: null });
  const input = question({ text: 'x'.repeat(350) });
  const quote = await client.comparisons.quote({ conversationId: null, text: input.text, attachments: [], models });
  const sums = quote.columns.flatMap(({ quote: { costUsd, simulated } }) =>
    costUsd && !simulated ? parseUsd(costUsd.high) : [],
  );
  expect(quote.costUsd?.high).toBe(formatUsd(nanoUsd(sums.reduce((sum, high) => sum + high, 0n))));
  expect(quote).toMatchObject({ unknown: 0, caps: [{ scope: 'message', state: 'over' }] });
  await expect(client.comparisons.begin(input)).rejects.toMatchObject({ code: 'cap_exceeded' });
  expect((await client.conversations.list({})).conversations).toEqual([]);
  expect(core.gateway.asked).toEqual([]);
  const { conversationId } = await client.comparisons.begin({ ...input, overCaps: true });
  await columns(core, conversationId, 'done', 3);
});

test('a column with an unknown price is in no sum and never counts as $0', async () => {
  const { client } = await start();
  const ask = { conversationId: null, text: 'Hi', attachments: [] };
  const mixed = await client.comparisons.quote({ ...ask, models: ['openai/free', 'openai/mini'] });
  expect(mixed.unknown).toBe(1);
  expect(mixed.costUsd).toEqual(mixed.columns[1]?.quote.costUsd);
  expect(await client.comparisons.quote({ ...ask, models: ['openai/free', 'sandbox/tour'] })).toMatchObject({
    costUsd: null,
    unknown: 1,
  });
});

test('a comparison is refused before anything is stored when a model is gone, picked twice or cannot read the image', async () => {
  const { client, gateway } = await start();
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQ==', 'base64');
  const { attachment } = await client.attachments.upload({
    uploadId: randomUUID(),
    name: 'column.png',
    offset: 0,
    totalBytes: png.length,
    data: png.toString('base64'),
  });
  const begin = (more: object) => client.comparisons.begin(question(more));
  await expect(begin({ models: ['openai/mini', 'openai/gone'] })).rejects.toMatchObject({ code: 'model_not_found' });
  await expect(begin({ models: ['openai/mini', 'openai/gpt'] })).rejects.toMatchObject({ code: 'model_not_found' });
  await expect(begin({ models: ['openai/mini', 'openai/mini'] })).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(begin({ attachments: [attachment] })).rejects.toMatchObject({
    code: 'unsupported_modality',
    message: expect.stringContaining('mini by openai does not read images: column.png'),
  });
  expect((await client.conversations.list({})).conversations).toEqual([]);
  expect(gateway.asked).toEqual([]);
});

test('a message that is queued behind a comparison is sent below the column that is chosen', async () => {
  const core = await start();
  const { client } = core;
  const go = gates(core);
  const { conversationId, answerIds } = await client.comparisons.begin(question());
  await expect.poll(() => core.gateway.asked.length).toBe(3);
  const waiting = { conversationId, attachments: [], model: 'openai/mini' };
  await client.queue.add({ ...waiting, id: randomUUID(), text: 'next', compare: ['openai/mini', 'openai/large'] });
  for (const model of models) go(model);
  await columns(core, conversationId, 'done', 3);
  expect(await client.queue.list({ conversationId })).toMatchObject([{ text: 'next', problem: null }]);
  await client.comparisons.choose({ messageId: answerIds[2] ?? '' });
  await expect.poll(() => client.queue.list({ conversationId })).toEqual([]);
  const { messages } = await read(core, conversationId);
  expect(messages.slice(1, 3).map(({ id, text }) => [id, text])).toEqual([
    [answerIds[2], 'sandbox/tour begins and ends'],
    [expect.any(String), 'next'],
  ]);
  await columns(core, conversationId, 'done', 2);
});

test('an answer that was cut off in a column continues in the same column', async () => {
  const core = await start();
  const { client } = core;
  core.gateway.script = async function* ({ model, messages, signal }) {
    yield messages.length > 1 ? ' and the rest' : `${model} so far`;
    if (messages.length === 1 && model === 'openai/large')
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const { conversationId, answerIds } = await client.comparisons.begin(question());
  await columns(core, conversationId, 'done', 2);
  await expect.poll(async () => (await read(core, conversationId)).columns[1]?.text).toBe('openai/large so far');
  await client.chat.stop({ answerId: answerIds[1] ?? '' });
  await client.chat.continue({ answerId: answerIds[1] ?? '' });
  await columns(core, conversationId, 'done', 3);
  const { columns: all, messages } = await read(core, conversationId);
  expect(all.filter(({ comparison }) => comparison?.column === 1).map(({ text }) => text)).toEqual([
    'openai/large so far',
    ' and the rest',
  ]);
  expect(messages.map(({ id }) => id)).toEqual([messages[0]?.id, answerIds[0]]);
});

test('a comparison is found, exported and imported with all its columns, and a deleted column comes back', async () => {
  const core = await start();
  const { client } = core;
  core.gateway.script = async function* ({ model }) {
    yield `Columns, says ${model}.`;
  };
  const { conversationId, answerIds } = await client.comparisons.begin(question());
  await columns(core, conversationId, 'done', 3);
  const found = await client.search.inConversation({ conversationId, text: 'columns, says' });
  expect(found.matches.map(({ messageId }) => messageId)).toEqual(answerIds);
  const exported = async (format: 'markdown' | 'html' | 'json') => {
    const parts: string[] = [];
    for await (const part of await client.transfer.export({ ids: [conversationId], format })) parts.push(part.text);
    return parts.join('');
  };
  for (const format of ['markdown', 'html'] as const)
    for (const model of models) expect(await exported(format)).toContain(`Columns, says ${model}`);
  const other = await start();
  const { uploadId } = await other.client.transfer.beginImport();
  const base64 = Buffer.from(await exported('json')).toString('base64');
  await other.client.transfer.appendImport({ uploadId, offset: 0, base64 });
  await other.client.transfer.commitImport({ uploadId, sourceIds: null });
  const [copy] = (await other.client.conversations.list({})).conversations;
  expect((await read(other, copy?.id ?? '')).columns.map(({ text }) => text)).toEqual(
    models.map((model) => `Columns, says ${model}.`),
  );
  const { deletionId } = await client.messages.remove({ messageId: answerIds[0] ?? '' });
  expect((await read(core, conversationId)).columns.map(({ id }) => id)).toEqual(answerIds.slice(1));
  await client.messages.restore({ deletionId });
  expect((await read(core, conversationId)).columns.map(({ id }) => id)).toEqual(answerIds);
});

test('another answer that exceeds a spending limit stores nothing, in a column or alone, and the limit can be waived once', async () => {
  const core = await start();
  const { client } = core;
  const { conversationId, answerIds } = await client.comparisons.begin(question({ text: 'x'.repeat(350) }));
  await columns(core, conversationId, 'done', 3);
  await client.caps.set({ message: '0.000001', conversation: null, day: null, month: null });
  const answerId = answerIds[0] ?? '';
  await expect(client.chat.regenerate({ answerId })).rejects.toMatchObject({ code: 'cap_exceeded' });
  await expect(client.chat.continue({ answerId })).rejects.toMatchObject({ code: 'cap_exceeded' });
  expect((await read(core, conversationId)).columns).toHaveLength(3);
  await client.chat.regenerate({ answerId, overCaps: true });
  await columns(core, conversationId, 'done', 4);
  expect(core.gateway.asked).toHaveLength(4);
});

test('Auto’s choice is unknown when the gateway has no quotes', async () => {
  const { client } = await start();
  const asked = { conversationId: null, text: 'Hi', attachments: [], model: 'router' };
  expect(await client.quotes.route(asked)).toEqual({ known: false });
});

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { columns, question, read } from '../../../tests/support/compared.ts';
import { coreOfTest } from '../../../tests/support/core-of-test.ts';

const ask = () => ({ messageId: randomUUID(), text: 'What is a portico?', model: 'openai/gpt' });

test('a question that is not stored yet when the core begins to close is refused and stores nothing', async () => {
  const core = await coreOfTest();
  const { client, gateway } = core;
  await client.models.list();
  await client.caps.set({ message: '1', conversation: null, day: null, month: null });
  const [quoting, quoted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = gateway.fetch;
  gateway.fetch = async (request) => {
    if (!request.url.endsWith('/v1/quote')) return answer(request);
    quoting.resolve();
    await quoted.promise;
    return answer(request);
  };
  const sent = client.chat.send(ask()).then(
    () => 'sent',
    ({ code }) => code,
  );
  await quoting.promise;
  const closing = core.core.close();
  quoted.resolve();
  expect(await sent).toBe('shutting_down');
  await closing;
  const again = await coreOfTest({ dataFolder: core.dataFolder });
  expect((await again.client.conversations.list({})).conversations).toEqual([]);
});

test('a chat that is removed at any moment while its question is being stored is not answered', async () => {
  let made = (_id: string) => {};
  const newId = () => {
    const id = randomUUID();
    made(id);
    return id;
  };
  const core = await coreOfTest({ newId });
  const running = new Set<AbortSignal>();
  core.gateway.script = async function* ({ signal }) {
    running.add(signal);
    yield 'x';
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const outcomes = new Set<string>();
  // The number of waits decides when the chat is removed: between before it is stored and after its answer has begun.
  for (let turns = 0; turns < 300; turns += 20) {
    const chat = Promise.withResolvers<string>();
    const ids: string[] = [];
    made = (id) => {
      ids.push(id);
      if (ids.length === 2) chat.resolve(id);
    };
    const remove = async () => {
      const id = await chat.promise;
      for (let turn = 0; turn < turns; turn += 1) await null;
      await core.client.conversations.remove({ id });
    };
    const toRefusal = ({ data }: { data: { refusal: { name: string } } }) => data.refusal.name;
    const [sent] = await Promise.all([core.client.chat.send(ask()).then(() => 'sent', toRefusal), remove()]);
    outcomes.add(sent);
    for (const { id } of (await core.client.conversations.list({})).conversations)
      await core.client.conversations.remove({ id });
    await expect.poll(() => [...running].filter(({ aborted }) => !aborted)).toEqual([]);
  }
  expect(outcomes).toEqual(new Set(['sent', 'chatRemoved']));
});

test('a question to all columns is refused when one column is chosen before the question is stored', async () => {
  let onId = () => {};
  const newId = () => {
    onId();
    return randomUUID();
  };
  const core = await coreOfTest({ newId });
  await core.client.models.list();
  const { conversationId, answerIds } = await core.client.comparisons.begin(question());
  await columns(core, conversationId, 'done', 3);
  const chosen = Promise.withResolvers<unknown>();
  // At this moment the columns have been read, but the question isn't stored yet.
  onId = () => {
    onId = () => {};
    chosen.resolve(core.client.comparisons.choose({ messageId: answerIds[1] ?? '' }));
  };
  const further = core.client.comparisons.begin(question({ conversationId, models: undefined }));
  const refused = { code: 'invalid_input', data: { refusal: { name: 'noAnswersBeside' } } };
  await expect(further).rejects.toMatchObject(refused);
  await chosen.promise;
  expect(core.gateway.asked).toHaveLength(3);
  expect((await read(core, conversationId)).messages.map(({ id }) => id).at(-1)).toBe(answerIds[1]);
});

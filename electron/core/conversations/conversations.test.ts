import { expect, test } from 'vitest';
import { coreOfTest } from '../../../tests/support/core-of-test.ts';
import { readThread } from '../../../tests/support/read-thread.ts';

const start = (now = Date.now) => coreOfTest({ now });

test('conversations are listed newest first, page by page, each once', async () => {
  let time = 1000;
  const { client } = await start(() => {
    time += 0.5;
    return Math.floor(time);
  });
  const ids: string[] = [];
  for (let index = 0; index < 7; index += 1) {
    const sent = await client.chat.send({ messageId: `m${index}`, text: `Chat ${index}`, model: 'openai/gpt' });
    ids.unshift(sent.conversationId);
  }
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof client.conversations.list>> = await client.conversations.list({
      limit: 3,
      cursor,
    });
    seen.push(...page.conversations.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor);
  expect([...seen].sort()).toEqual([...ids].sort());
  expect(seen).toHaveLength(7);
});

test('a conversation is named after its first message until the user renames it', async () => {
  const { client } = await start();
  const sent = await client.chat.send({ messageId: 'm', text: '# A question\nand more', model: 'openai/gpt' });
  const { conversation } = await readThread(client, sent.conversationId);
  expect(conversation).toMatchObject({ title: 'A question', model: 'openai/gpt' });
  const renamed = await client.conversations.rename({ id: sent.conversationId, title: '  Mine  ' });
  expect(renamed.title).toBe('Mine');
  await expect(client.conversations.rename({ id: 'nowhere', title: 'x' })).rejects.toMatchObject({ code: 'not_found' });
});

test('a window receives changed topics together, by name', async () => {
  const { client } = await start();
  const changes = await client.changes.watch();
  const next = changes.next();
  await client.settings.update({ theme: 'dark', density: undefined });
  // Changes from the start of the core may arrive first.
  let received = await next;
  while (!received.done && !received.value.topics.includes('settings')) received = await changes.next();
  expect(received.value).toMatchObject({ topics: expect.arrayContaining(['settings']) });
  expect(await client.settings.get()).toEqual({
    theme: 'dark',
    language: 'en',
    density: 'comfortable',
    sendWith: 'enter',
    spellCheck: true,
    keepRunning: false,
    checkUpdates: true,
    notifications: 'plain',
    model: 'router',
    shownWallet: null,
    welcomed: false,
    confirmRoute: false,
    shortcuts: {},
    favouriteModels: [],
    recentModels: [],
    recentActions: [],
  });
  await changes.return?.();
});

test('a conversation keeps all its messages in order', async () => {
  const { client, gateway } = await start();
  gateway.script = async function* () {
    yield 'ok';
  };
  let conversationId: string | null = null;
  for (let index = 0; index < 40; index += 1) {
    const sent: { conversationId: string } = await client.chat.send({
      messageId: `m${index}`,
      conversationId,
      text: `${index}`,
      model: 'openai/gpt',
    });
    conversationId = sent.conversationId;
    const id = conversationId;
    await expect.poll(async () => (await readThread(client, id)).conversation.live, { interval: 2 }).toBe(false);
  }
  const { messages } = await readThread(client, conversationId ?? '', { limit: 100 });
  expect(messages.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual(
    Array.from({ length: 40 }, (_, index) => `${index}`),
  );
  expect(gateway.asked.at(-1)?.messages).toHaveLength(79);
});

test('only safe links leave the app', async () => {
  const { client, opened } = await start();
  await client.app.openLink({ url: 'https://example.com' });
  await client.app.openLink({ url: 'mailto:a@example.com?attach=/etc/passwd' });
  await expect(client.app.openLink({ url: 'file:///etc/passwd' })).rejects.toMatchObject({ code: 'link_refused' });
  expect(opened).toEqual(['https://example.com/', 'mailto:a@example.com']);
});

test('an answer that ends while no window shows its chat is unread until one does, also after a restart', async () => {
  const first = await coreOfTest();
  const listed = async ({ client }: Pick<typeof first, 'client'>) =>
    Object.fromEntries((await client.conversations.list({})).conversations.map(({ title, unread }) => [title, unread]));
  const ended = ({ client }: typeof first) =>
    expect.poll(async () => (await client.conversations.list({})).conversations.some(({ live }) => live)).toBe(false);
  const away = await first.client.chat.send({ messageId: 'a', text: 'away', model: 'openai/gpt' });
  await ended(first);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  first.gateway.script = async function* () {
    await released;
    yield 'Seen.';
  };
  const here = await first.client.chat.send({ messageId: 'b', text: 'here', model: 'openai/gpt' });
  const watching = await first.client.chat.watch({ conversationId: here.conversationId });
  await watching.next();
  release();
  await ended(first);
  expect(await listed(first)).toEqual({ away: true, here: false });
  await watching.return(undefined);
  await first.core.close();

  const second = await coreOfTest({ dataFolder: first.dataFolder });
  expect(await listed(second)).toEqual({ away: true, here: false });
  await readThread(second.client, away.conversationId);
  expect(await listed(second)).toEqual({ away: false, here: false });
});

import { QueryClient, QueryObserver, type QueryObserverOptions, skipToken } from '@tanstack/react-query';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Api, getQueries } from '../../renderer/api/api.ts';
import { followChanges } from '../../renderer/api/follow-changes.ts';
import { createLiveAnswers } from '../../renderer/features/chat/data/answer-views.ts';
import type { Thread } from '../../renderer/features/chat/data/conversation-cache.ts';
import { threadKey, threadStream } from '../../renderer/features/chat/data/follow-thread.ts';
import { coreOfTest, type TestCore } from '../support/core-of-test.ts';
import { eventually } from '../support/eventually.ts';
import { readThread } from '../support/read-thread.ts';

const document = { append() {}, finish() {}, close() {} };

/** Opens a window with one chat, and records the calls that it makes and the changes that the core announces. */
function openWindow({ client }: TestCore, conversationId: string) {
  const asked: string[] = [];
  const emits: string[][] = [];
  const note = (target: object, path: string[]): unknown =>
    new Proxy(target, {
      get: (target, name: string) => {
        const value = Reflect.get(target, name);
        return path.length === 1
          ? (...input: unknown[]) => {
              asked.push([...path, name].join('.'));
              return value(...input);
            }
          : note(value, [...path, name]);
      },
    });
  const api = note(client, []) as Api;
  const leave = new AbortController();
  const queries = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  const answers = createLiveAnswers({ open: () => document, warm() {} }, (flush) => flush);
  const ask = { conversationId, attachments: [], model: 'openai/gpt' };
  const orpc = getQueries(api);
  const observe = (options: QueryObserverOptions) => {
    const observer = new QueryObserver(queries, options);
    onTestFinished(observer.subscribe(() => {}));
    return observer;
  };
  observe(orpc.conversations.list.queryOptions({ input: { limit: 500 } }) as QueryObserverOptions);
  observe(orpc.account.wallets.queryOptions() as QueryObserverOptions);
  const quote = observe(orpc.quotes.get.queryOptions({ input: { ...ask, text: '' } }) as QueryObserverOptions);
  // While an answer is running, the window doesn't request a quote for the next message.
  const thread = new QueryObserver<Thread>(queries, { queryKey: threadKey(conversationId), queryFn: skipToken });
  onTestFinished(
    thread.subscribe(({ data }) => quote.setOptions({ ...quote.options, enabled: data?.runningIds.length === 0 })),
  );
  onTestFinished(() => leave.abort());
  void followChanges(api, queries, leave.signal);
  void threadStream({ api, queries, answers, conversationId }).follow(leave.signal);
  void (async () => {
    for await (const { topics } of await client.changes.watch(undefined, { signal: leave.signal })) emits.push(topics);
  })().catch(() => {});
  return { asked, emits, queries };
}

test('one message and its answer: what is read, quoted, told and asked', async () => {
  const core = await coreOfTest();
  const { client, gateway } = core;
  await client.models.list();
  const ask = { text: 'What is a portico?', model: 'openai/gpt' };
  const { conversationId } = await client.chat.send({ ...ask, messageId: 'first' });
  const answered = async () => expect((await readThread(client, conversationId)).messages.at(-1)?.bill).toBeTruthy();
  await eventually(answered);
  const reads: string[] = [];
  const prepare = Sqlite.prototype.prepare;
  const spy = vi.spyOn(Sqlite.prototype, 'prepare').mockImplementation(function (this: Sqlite.Database, sql: string) {
    if (/^\s*(select|with)/i.test(sql) && /\bmessages\b/.test(sql)) reads.push(sql);
    return prepare.call(this, sql);
  });
  onTestFinished(() => spy.mockRestore());
  const window = openWindow(core, conversationId);
  const idle = () => eventually(() => expect(window.queries.isFetching()).toBe(0), { interval: 40 });
  await eventually(() => expect(window.asked).toContain('quotes.get'));
  await idle();
  window.asked.length = 0;
  window.emits.length = 0;
  reads.length = 0;
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  gateway.script = async function* () {
    await gate;
    yield 'A porch.';
  };
  await client.chat.send({ ...ask, messageId: 'second', conversationId });
  await eventually(() => expect(window.emits).toHaveLength(1));
  await idle();
  release();
  await eventually(() => expect(window.emits).toHaveLength(2));
  // The window may receive the end of the answer later, through its own stream.
  await eventually(() => expect(window.asked).toContain('quotes.get'));
  await idle();
  const counted = Object.groupBy(window.asked, (call) => call);
  expect({
    emits: window.emits,
    asked: Object.fromEntries(Object.entries(counted).map(([call, all]) => [call, all?.length])),
    reads: reads.length,
  }).toEqual({
    // The first change is for the new message, the second for the ended answer and its cost.
    emits: [['conversations'], ['conversations', 'account']],
    asked: { 'account.wallets': 1, 'conversations.list': 2, 'quotes.get': 1 },
    // The reads come from sending, answering and quoting. Nothing that the stream contained is read again.
    reads: 10,
  });
});

import { RPCLink } from '@orpc/client/message-port';
import { implement, ORPCError } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import type { Topic } from '#shared/contract/app/changes.ts';
import type { ChatEvent } from '#shared/contract/chat/chat.ts';
import type { Conversation, Message, ScrollPosition } from '#shared/contract/chat/conversations.ts';
import { contract } from '#shared/contract/index.ts';
import { comparisonTotals } from '../../electron/core/conversations/comparison-total.ts';
import { fakeAnswer } from './fake-answer.ts';
import { fakeBackup } from './fake-backup.ts';
import { fakeChannel } from './fake-channel.ts';
import { fakeComparisons } from './fake-comparisons.ts';
import { type FakeComposer, fakeComposer, fakeComposerRouter, fakeTotal } from './fake-composer.ts';
import { fakeConnections } from './fake-connections.ts';
import { type FakeData, fakeData, fakeMessage, fakePicture, unplaced } from './fake-data.ts';
import { fakeCredits, fakeUsage } from './fake-ledger.ts';
import { fakeMessages } from './fake-messages.ts';
import { fakeNetwork } from './fake-network.ts';
import { fakeOrganise } from './fake-organise.ts';
import { fakeThread } from './fake-thread.ts';
import { fakeTools } from './fake-tools.ts';
import { fakeTransfer } from './fake-transfer.ts';

type Unnumbered<Event> = Event extends ChatEvent ? Omit<Event, 'seq' | 'total'> : never;
type FakeNews =
  | 'all-changed'
  | Unnumbered<Exclude<ChatEvent, { type: 'snapshot' | 'page' | 'branch-shown' | 'conversation-updated' }>>
  | { type: 'page-wanted'; to: 'end' }
  | { type: 'page-wanted'; to: 'older' | 'newer' | 'message'; messageId: string };

export interface FakeCore {
  /** What `createApi` takes. */
  readonly link: RPCLink<Record<never, never>>;
  readonly data: FakeData;
  /** Drafts, queue, prompts, presets, caps and the quote. */
  readonly composer: FakeComposer;
  /** Makes a method such as `models.list` fail with a code from now on, or work again. */
  fail(method: string, code: string | null, message?: string, retryAfterMs?: number | null): void;
  /** Makes a method wait for ever, or go on; `answered`: what it says was so before the wait. */
  hold(method: string, held: boolean | 'answered'): void;
  changed(...topics: Topic[]): void;
  /** Writes on in the running answer; `finish` ends it as the gateway would. */
  write(text: string): void;
  finish(change?: Partial<Message>): void;
  /** Breaks every open stream, as a lost connection would. */
  cut(): void;
  readonly calls: string[];
}

export interface FakeOptions {
  /** `auto` streams an answer by itself; `manual` waits for `write` and `finish`. */
  answers?: 'auto' | 'manual';
  /** Milliseconds between two pieces of an answer. */
  paceMs?: number;
  /** Characters in a piece. */
  pieceLength?: number;
  /** What is answered. */
  answer?: string;
}

/** The whole contract in memory, on the other side of a real MessageChannel. */
export function createFakeCore(change: Partial<FakeData> = {}, options: FakeOptions = {}): FakeCore {
  const data: FakeData = { ...fakeData(), ...change };
  const composer = fakeComposer();
  const failures = new Map<string, { code: string; message: string; retryAfterMs: number | null }>();
  const held = new Map<string, { promise: Promise<void>; open: () => void }>();
  const late = new Set<string>();
  const calls: string[] = [];
  const changes = fakeChannel<{ topics: Topic[] }>();
  const events = fakeChannel<FakeNews>();
  let running: Message | null = null;
  let serial = 0;

  const guard = async (method: string) => {
    calls.push(method);
    if (!late.has(method)) await held.get(method)?.promise;
    const failure = failures.get(method);
    if (!failure) return;
    const { code, message, retryAfterMs } = failure;
    throw new ORPCError(code, { message, data: { retryAfterMs, details: null } });
  };
  const missing = () => new ORPCError('not_found', { message: 'There is no such chat.' });
  const changed = (...topics: Topic[]) => {
    if (topics.includes('messages')) events.send('all-changed');
    changes.send({ topics });
  };
  const store = (message: Message) => {
    data.messages = [...data.messages.filter((entry) => entry.id !== message.id), message];
  };

  function begin(
    conversation: Conversation,
    user: Message,
    model: string,
    sibling: Message['sibling'],
    continues = false,
  ): Message {
    const named = data.models.find((entry) => entry.id === model);
    const answer = fakeMessage({
      id: `answer-${++serial}`,
      conversationId: conversation.id,
      parentId: user.id,
      role: 'assistant',
      status: 'streaming',
      model,
      modelName: named?.name ?? model,
      simulated: named?.simulated ?? false,
      sibling,
      continues,
    });
    running = answer;
    conversation.live = true;
    store(answer);
    thread.show(answer.id);
    events.send({ type: 'message-added', message: answer });
    changed('conversations');
    if (options.answers !== 'manual') void play(answer);
    return answer;
  }

  async function play(answer: Message): Promise<void> {
    const { answer: words = fakeAnswer, pieceLength = 9 } = options;
    for (let at = 0; at < words.length; at += pieceLength) {
      await new Promise((resolve) => setTimeout(resolve, options.paceMs ?? 12));
      if (running?.id !== answer.id) return;
      write(words.slice(at, at + pieceLength));
    }
    finish();
  }

  function write(text: string): void {
    if (!running) throw new Error('No answer is running');
    const offset = running.text.length;
    running = { ...running, text: running.text + text, firstTokenAt: running.firstTokenAt ?? Date.now() };
    store(running);
    events.send({ type: 'text-delta', messageId: running.id, offset, text });
  }

  function finish(end: Partial<Message> = {}): void {
    if (!running) return;
    const done: Message = {
      ...running,
      status: 'done',
      finishReason: 'stop',
      finishedAt: Date.now(),
      usage: { promptTokens: 24, completionTokens: 278, cachedTokens: 0, reasoningTokens: 0 },
      costUsd: '0.0001695',
      costSource: 'billed',
      requestId: 'req_01JD',
      ...end,
    };
    running = null;
    store(done);
    for (const entry of data.conversations) if (entry.id === done.conversationId) entry.live = false;
    const sandbox = data.wallets.find((entry) => entry.id === 'sandbox');
    if (sandbox?.balance && done.simulated && done.costUsd)
      sandbox.balance = { ...sandbox.balance, amount: '9.9998305', available: '9.9998305', total_used: done.costUsd };
    events.send({ type: 'message-updated', message: done });
    changed('conversations', 'account');
  }

  const thread = fakeThread(() => data.messages);
  const { branch } = thread;
  const stretch = (messages: Message[], from: number, to: number) => {
    const columns = data.messages.filter(({ comparison }) =>
      messages.some(({ comparing }) => comparing === comparison?.id && comparing),
    );
    return {
      messages: messages.slice(Math.max(0, from), to),
      columns,
      comparisons: comparisonTotals(columns),
      hasOlder: from > 0,
      hasNewer: to < messages.length,
    };
  };

  const runningIn = (id: string) => (running?.conversationId === id ? [running] : []);
  function page({ id, at, limit }: { id: string; at: 'end' | 'scroll_position'; limit: number }) {
    const conversation = data.conversations.find((entry) => entry.id === id);
    if (!conversation) throw missing();
    const all = branch(id);
    const scrollPosition = at === 'scroll_position' ? (data.scrollPositions[id] ?? null) : null;
    const index = all.findIndex((message) => message.id === scrollPosition?.messageId);
    const half = Math.floor(limit / 2);
    return {
      conversation,
      scrollPosition: index < 0 ? null : scrollPosition,
      ...(index < 0
        ? stretch(all, all.length - limit, all.length)
        : stretch(all, index - half, index + 1 + limit - half)),
    };
  }
  function around(messageId: string, before: number, after: number) {
    const message = data.messages.find(({ id }) => id === messageId);
    const all = branch(message?.conversationId ?? '');
    const index = all.findIndex(({ id }) => id === messageId);
    if (index < 0) throw missing();
    return stretch(all, index - before, index + 1 + after);
  }

  const os = implement(contract);
  const organise = fakeOrganise(data, guard, changed);
  const tools = fakeTools(data.tools, guard, () => changed('tools'));
  const router = os.router({
    ...fakeComposerRouter(composer, { guard, changed }),
    app: {
      info: os.app.info.handler(async () => {
        await guard('app.info');
        return data.app;
      }),
      zoom: os.app.zoom.handler(() => guard('app.zoom')),
      openLink: os.app.openLink.handler(async ({ input }) => {
        await guard('app.openLink');
        data.opened.push(input.url);
      }),
    },
    backup: fakeBackup(data, guard, changed),
    network: fakeNetwork(guard),
    tools,
    changes: { watch: os.changes.watch.handler(async ({ signal }) => changes.open(signal)) },
    settings: {
      get: os.settings.get.handler(async () => {
        await guard('settings.get');
        return data.settings;
      }),
      update: os.settings.update.handler(async ({ input }) => {
        await guard('settings.update');
        data.settings = { ...data.settings, ...withoutUndefined(input) };
        changed('settings');
        return data.settings;
      }),
    },
    models: {
      list: os.models.list.handler(async () => {
        await guard('models.list');
        return {
          models: data.models,
          fetchedAt: Date.now() - 240_000,
          problem: data.modelsProblem === null ? null : { message: data.modelsProblem },
          retryAfterMs: null,
        };
      }),
      payer: os.models.payer.handler(async ({ input }) => {
        await guard('models.payer');
        const asked = data.models.find(({ id }) => id === input.model);
        const real = data.models.some(
          (model) => model.kind === 'chat' && model.status === 'available' && !model.simulated,
        );
        const simulated = input.model === 'router' ? !real : asked?.simulated;
        return { wallet: simulated ? 'sandbox' : 'main' };
      }),
    },
    conversations: {
      list: os.conversations.list.handler(async ({ input }) => {
        await guard('conversations.list');
        return organise.list(input);
      }),
      keepScrollPosition: os.conversations.keepScrollPosition.handler(async ({ input }) => {
        await guard('conversations.keepScrollPosition');
        data.scrollPositions[input.id] = input.scrollPosition;
      }),
      opened: os.conversations.opened.handler(async ({ input }) => {
        await guard('conversations.opened');
        data.lastOpened = input.id;
        const left = data.conversations.filter((entry) => entry.temporary && entry.id !== input.id);
        return { leaving: left.map((entry) => entry.id) };
      }),
      lastOpened: os.conversations.lastOpened.handler(async () => {
        await guard('conversations.lastOpened');
        return { id: data.lastOpened };
      }),
      rename: os.conversations.rename.handler(async ({ input }) => {
        await guard('conversations.rename');
        const conversation = data.conversations.find((entry) => entry.id === input.id);
        if (!conversation) throw missing();
        conversation.title = input.title;
        changed('conversations', 'messages');
        return conversation;
      }),
      fork: os.conversations.fork.handler(async () => {
        await guard('conversations.fork');
        throw missing();
      }),
      keep: os.conversations.keep.handler(async ({ input }) => {
        await guard('conversations.keep');
        for (const entry of data.conversations) if (entry.id === input.id) entry.temporary = false;
        changed('conversations', 'messages');
      }),
      remove: os.conversations.remove.handler(async ({ input }) => {
        await guard('conversations.remove');
        data.conversations = data.conversations.filter((entry) => entry.id !== input.id);
        changed('conversations');
      }),
    },
    comparisons: fakeComparisons(data, composer, { guard, changed }),
    organise: organise.organise,
    search: organise.search,
    chat: {
      send: os.chat.send.handler(async ({ input }) => {
        await guard('chat.send');
        const now = Date.now();
        const edited = data.messages.find((entry) => entry.id === input.editOf);
        const wanted = edited?.conversationId ?? input.conversationId;
        let conversation = data.conversations.find((entry) => entry.id === wanted);
        if (!conversation) {
          conversation = {
            id: `chat-${++serial}`,
            title: input.text.slice(0, 60) || 'File',
            model: input.model,
            createdAt: now,
            updatedAt: now,
            live: true,
            waiting: false,
            ...unplaced,
            temporary: input.temporary,
          };
          data.conversations = [conversation, ...data.conversations];
        }
        const user = fakeMessage({
          id: input.messageId,
          conversationId: conversation.id,
          parentId: edited ? edited.parentId : (branch(conversation.id).at(-1)?.id ?? null),
          text: input.text,
          attachments: input.attachments,
        });
        store(user);
        events.send({ type: 'message-added', message: thread.numbered(user) });
        const answer = begin(conversation, user, input.model, { index: 1, count: 1 });
        return { conversationId: conversation.id, userMessageId: user.id, answerId: answer.id };
      }),
      decideTool: os.chat.decideTool.handler(async ({ input }) => {
        await guard('chat.decideTool');
        data.decisions.push(input);
      }),
      routing: os.chat.routing.handler(async () => {
        await guard('chat.routing');
        return data.routing;
      }),
      regenerate: os.chat.regenerate.handler(async ({ input }) => {
        await guard('chat.regenerate');
        const before = data.messages.find((entry) => entry.id === input.answerId);
        const user = data.messages.find((entry) => entry.id === before?.parentId);
        const conversation = data.conversations.find((entry) => entry.id === before?.conversationId);
        if (!before || !user || !conversation) throw missing();
        const count = before.sibling.count + 1;
        const answer = begin(conversation, user, input.model ?? before.model ?? conversation.model, {
          index: count,
          count,
        });
        return { conversationId: conversation.id, userMessageId: user.id, answerId: answer.id };
      }),
      answer: os.chat.answer.handler(async ({ input }) => {
        await guard('chat.answer');
        const user = data.messages.find((entry) => entry.id === input.questionId);
        const conversation = data.conversations.find((entry) => entry.id === user?.conversationId);
        if (!user || !conversation) throw missing();
        const answer = begin(conversation, user, input.model, { index: 1, count: 1 });
        return { conversationId: conversation.id, userMessageId: user.id, answerId: answer.id };
      }),
      continue: os.chat.continue.handler(async ({ input }) => {
        await guard('chat.continue');
        const cut = data.messages.find((entry) => entry.id === input.answerId);
        const conversation = data.conversations.find((entry) => entry.id === cut?.conversationId);
        if (!cut || !conversation) throw missing();
        const answer = begin(conversation, cut, cut.model ?? 'router', { index: 1, count: 1 }, true);
        return { conversationId: conversation.id, userMessageId: cut.parentId ?? '', answerId: answer.id };
      }),
      stop: os.chat.stop.handler(async () => {
        await guard('chat.stop');
        finish({
          status: 'cancelled',
          finishReason: null,
          costUsd: '0.0000421',
          usage: { promptTokens: 24, completionTokens: 31, cachedTokens: 0, reasoningTokens: 0 },
        });
      }),
      watch: os.chat.watch.handler(async function* ({ input, signal }) {
        await guard('chat.watch');
        const open = events.open(signal);
        let seq = 0;
        const snapshot = (
          stretch: Omit<ReturnType<typeof page>, 'conversation' | 'scrollPosition'> & {
            scrollPosition?: ScrollPosition | null;
          },
        ) => {
          const conversation = data.conversations.find((entry) => entry.id === input.conversationId);
          if (!conversation) throw missing();
          const answers = runningIn(input.conversationId);
          const head = { type: 'snapshot', seq: ++seq, readerId: 'reader', conversation, answers } as const;
          return { ...head, scrollPosition: null, ...stretch, total: fakeTotal };
        };
        const first = snapshot(page({ id: input.conversationId, at: input.at, limit: input.limit }));
        if (late.has('chat.watch')) await held.get('chat.watch')?.promise;
        yield first;
        for await (const news of open) {
          if (news === 'all-changed')
            yield snapshot(page({ id: input.conversationId, at: 'scroll_position', limit: input.limit }));
          else if (news.type === 'text-delta' || news.type === 'reasoning-delta') yield news;
          else if (news.type === 'message-updated') yield { ...news, seq: ++seq, total: fakeTotal };
          else if (news.type !== 'page-wanted') yield { ...news, seq: ++seq };
          else if (news.to === 'end') yield snapshot(page({ id: input.conversationId, at: 'end', limit: input.limit }));
          else if (news.to === 'message') yield snapshot(around(news.messageId, 30, 30));
          else {
            const [before, after] = news.to === 'older' ? [60, 0] : [0, 60];
            const { messageId, to: at } = news;
            yield { type: 'page', seq: ++seq, at, edgeId: messageId, ...around(messageId, before, after) } as const;
          }
        }
      }),
      page: os.chat.page.handler(async ({ input }) => {
        await guard('chat.page');
        if (input.to !== 'end') around(input.messageId, 0, 0);
        events.send({ type: 'page-wanted', ...input });
      }),
    },
    messages: fakeMessages(data, thread, { guard, changed }),
    account: {
      wallets: os.account.wallets.handler(async () => {
        await guard('account.wallets');
        return data.wallets;
      }),
      get: os.account.get.handler(async ({ input }) => {
        await guard('account.get');
        return data.account[input.wallet];
      }),
    },
    credits: {
      get: os.credits.get.handler(async ({ input }) => {
        await guard('credits.get');
        return fakeCredits(data, input.wallet, input.limit, input.after ?? null);
      }),
    },
    images: {
      fetch: os.images.fetch.handler(async () => {
        await guard('images.fetch');
        return fakePicture;
      }),
    },
    transfer: fakeTransfer(guard),
    usage: {
      get: os.usage.get.handler(async ({ input }) => {
        await guard('usage.get');
        return fakeUsage(data, input.groupBy, input.start ?? null, input.end ?? null);
      }),
    },
    ...fakeConnections(data, guard, changed),
  });

  const { port1, port2 } = new MessageChannel();
  new RPCHandler(router).upgrade(port1);
  port1.start();
  port2.start();
  return {
    link: new RPCLink({ port: port2 }),
    data,
    composer,
    calls,
    changed,
    write,
    finish,
    fail(method, code, message = 'The gateway answered with an error.', retryAfterMs = null) {
      if (code === null) failures.delete(method);
      else failures.set(method, { code, message, retryAfterMs });
    },
    hold(method, hold) {
      held.get(method)?.open();
      held.delete(method);
      if (hold === 'answered') late.add(method);
      else late.delete(method);
      if (!hold) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(method, { promise, open: resolve });
    },
    cut() {
      changes.cut();
      events.cut();
    },
  };
}

function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as never;
}

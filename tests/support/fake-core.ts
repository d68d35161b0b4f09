import { RPCLink } from '@orpc/client/message-port';
import { implement, ORPCError } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import type { Topic } from '#shared/contract/changes.ts';
import type { ChatEvent } from '#shared/contract/chat.ts';
import type { Conversation, Message } from '#shared/contract/conversations.ts';
import { contract } from '#shared/contract/index.ts';
import { fakeAnswer } from './fake-answer.ts';
import { fakeChannel } from './fake-channel.ts';
import { type FakeData, fakeData, fakeMessage } from './fake-data.ts';
import { fakeCredits, fakeUsage } from './fake-ledger.ts';
import { fakeTools } from './fake-tools.ts';

export interface FakeCore {
  /** What `createApi` takes. */
  readonly link: RPCLink<Record<never, never>>;
  readonly data: FakeData;
  /** Makes a method such as `models.list` fail with a code from now on, or work again. */
  fail(method: string, code: string | null, message?: string): void;
  /** Makes a method wait for ever, or go on. */
  hold(method: string, held: boolean): void;
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
}

/** The whole contract in memory, on the other side of a real MessageChannel. */
export function createFakeCore(change: Partial<FakeData> = {}, options: FakeOptions = {}): FakeCore {
  const data: FakeData = { ...fakeData(), ...change };
  const failures = new Map<string, { code: string; message: string }>();
  const held = new Map<string, { promise: Promise<void>; open: () => void }>();
  const calls: string[] = [];
  const changes = fakeChannel<{ topics: Topic[] }>();
  const events = fakeChannel<ChatEvent>();
  let running: Message | null = null;
  let serial = 0;

  const guard = async (method: string) => {
    calls.push(method);
    await held.get(method)?.promise;
    const failure = failures.get(method);
    if (failure) throw new ORPCError(failure.code, { message: failure.message });
  };
  const missing = () => new ORPCError('not_found', { message: 'There is no such chat.' });
  const changed = (...topics: Topic[]) => changes.send({ topics });
  const store = (message: Message) => {
    data.messages = [...data.messages.filter((entry) => entry.id !== message.id), message];
  };

  function begin(conversation: Conversation, user: Message, model: string, sibling: Message['sibling']): Message {
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
    });
    running = answer;
    conversation.live = true;
    store(answer);
    events.send({ type: 'message-added', message: answer });
    changed('conversations');
    if (options.answers !== 'manual') void play(answer);
    return answer;
  }

  async function play(answer: Message): Promise<void> {
    for (const piece of fakeAnswer.match(/[\s\S]{1,9}/g) ?? []) {
      await new Promise((resolve) => setTimeout(resolve, options.paceMs ?? 12));
      if (running?.id !== answer.id) return;
      write(piece);
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
    if (sandbox && done.simulated && done.costUsd)
      sandbox.balance = { ...sandbox.balance, amount: '9.9998305', available: '9.9998305', total_used: done.costUsd };
    events.send({ type: 'message-updated', message: done });
    changed('messages', 'conversations', 'account');
  }

  const branch = (conversationId: string): Message[] => {
    const shown = new Map<string, Message>();
    for (const message of data.messages) {
      if (message.conversationId === conversationId) shown.set(message.parentId ?? 'root', message);
    }
    const path: Message[] = [];
    for (let next = shown.get('root'); next; next = shown.get(next.id)) path.push(next);
    return path;
  };

  const os = implement(contract);
  const tools = fakeTools(data.tools, guard, () => changed('tools'));
  const router = os.router({
    app: {
      info: os.app.info.handler(async () => {
        await guard('app.info');
        return data.app;
      }),
      openLink: os.app.openLink.handler(async ({ input }) => {
        await guard('app.openLink');
        data.opened.push(input.url);
      }),
    },
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
        return { models: data.models, fetchedAt: Date.now() - 240_000, problem: data.modelsProblem };
      }),
    },
    conversations: {
      list: os.conversations.list.handler(async () => {
        await guard('conversations.list');
        return { conversations: data.conversations, nextCursor: null };
      }),
      get: os.conversations.get.handler(async ({ input }) => {
        await guard('conversations.get');
        const conversation = data.conversations.find((entry) => entry.id === input.id);
        if (!conversation) throw missing();
        return { conversation, messages: branch(input.id) };
      }),
      rename: os.conversations.rename.handler(async ({ input }) => {
        await guard('conversations.rename');
        const conversation = data.conversations.find((entry) => entry.id === input.id);
        if (!conversation) throw missing();
        conversation.title = input.title;
        changed('conversations', 'messages');
        return conversation;
      }),
      remove: os.conversations.remove.handler(async ({ input }) => {
        await guard('conversations.remove');
        data.conversations = data.conversations.filter((entry) => entry.id !== input.id);
        changed('conversations');
      }),
    },
    chat: {
      send: os.chat.send.handler(async ({ input }) => {
        await guard('chat.send');
        const now = Date.now();
        let conversation = data.conversations.find((entry) => entry.id === input.conversationId);
        if (!conversation) {
          conversation = {
            id: `chat-${++serial}`,
            title: input.text.slice(0, 60),
            model: input.model,
            createdAt: now,
            updatedAt: now,
            live: true,
          };
          data.conversations = [conversation, ...data.conversations];
        }
        const user = fakeMessage({
          id: input.messageId,
          conversationId: conversation.id,
          parentId: branch(conversation.id).at(-1)?.id ?? null,
          text: input.text,
        });
        store(user);
        events.send({ type: 'message-added', message: user });
        const answer = begin(conversation, user, input.model, { index: 1, count: 1 });
        return { conversationId: conversation.id, userMessageId: user.id, answerId: answer.id };
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
        const writing = running?.conversationId === input.conversationId ? [running] : [];
        yield { type: 'snapshot', answers: writing } as const;
        yield* open;
      }),
    },
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
    usage: {
      get: os.usage.get.handler(async ({ input }) => {
        await guard('usage.get');
        return fakeUsage(data, input.groupBy, input.start ?? null, input.end ?? null);
      }),
    },
    providers: {
      list: os.providers.list.handler(async () => {
        await guard('providers.list');
        return data.providers;
      }),
      setKey: os.providers.setKey.handler(async ({ input }) => {
        await guard('providers.setKey');
        return changeProvider(input.id, {
          state: 'works',
          keyHint: 'sk-…9fQ2',
          storage: 'keychain',
          checkedAt: Date.now(),
          baseUrl: input.baseUrl ?? null,
        });
      }),
      check: os.providers.check.handler(async ({ input }) => {
        await guard('providers.check');
        return changeProvider(input.id, { checkedAt: Date.now() });
      }),
      removeKey: os.providers.removeKey.handler(async ({ input }) => {
        await guard('providers.removeKey');
        return changeProvider(input.id, {
          state: 'not_set',
          keyHint: null,
          storage: null,
          checkedAt: null,
          message: null,
        });
      }),
    },
    gateway: {
      get: os.gateway.get.handler(async () => {
        await guard('gateway.get');
        return data.gateway;
      }),
      connect: os.gateway.connect.handler(async ({ input }) => {
        await guard('gateway.connect');
        data.gateway = {
          ...data.gateway,
          mode: 'remote',
          remote: { baseUrl: input.baseUrl, keyHint: 'sk-…77aa', storage: 'keychain' },
        };
        changed('gateway', 'account', 'models');
        return data.gateway;
      }),
      disconnect: os.gateway.disconnect.handler(async () => {
        await guard('gateway.disconnect');
        data.gateway = { ...data.gateway, mode: 'embedded', remote: null };
        changed('gateway', 'account', 'models');
        return data.gateway;
      }),
      listen: os.gateway.listen.handler(async ({ input }) => {
        await guard('gateway.listen');
        const url = input.enabled ? `http://127.0.0.1:${input.port}` : null;
        data.gateway = { ...data.gateway, local: { enabled: input.enabled, port: input.port, url, problem: null } };
        changed('gateway');
        return data.gateway;
      }),
    },
  });

  function changeProvider(id: string, change: Partial<FakeData['providers'][number]>) {
    const found = data.providers.find((entry) => entry.id === id);
    if (!found) throw missing();
    Object.assign(found, change);
    changed('providers', 'models');
    return found;
  }

  const { port1, port2 } = new MessageChannel();
  new RPCHandler(router).upgrade(port1);
  port1.start();
  port2.start();
  return {
    link: new RPCLink({ port: port2 }),
    data,
    calls,
    changed,
    write,
    finish,
    fail(method, code, message = 'The gateway answered with an error.') {
      if (code === null) failures.delete(method);
      else failures.set(method, { code, message });
    },
    hold(method, hold) {
      held.get(method)?.open();
      held.delete(method);
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

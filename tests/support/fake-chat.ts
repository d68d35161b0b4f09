import { implement, ORPCError } from '@orpc/server';
import type { Topic } from '#shared/contract/app/changes.ts';
import type { ChatEvent } from '#shared/contract/chat/chat.ts';
import type { Conversation, Message, ScrollPosition } from '#shared/contract/chat/conversations.ts';
import { contract } from '#shared/contract/index.ts';
import { comparisonTotals } from '../../electron/core/conversations/comparison-total.ts';
import { fakeAnswer } from './fake-answer.ts';
import { fakeChannel } from './fake-channel.ts';
import { fakeTotal } from './fake-composer.ts';
import { type FakeData, fakeMessage, unplaced } from './fake-data.ts';
import { fakeThread } from './fake-thread.ts';

type Unnumbered<Event> = Event extends ChatEvent ? Omit<Event, 'seq' | 'total'> : never;
type FakeNews =
  | 'all-changed'
  | Unnumbered<Exclude<ChatEvent, { type: 'snapshot' | 'page' | 'branch-shown' | 'conversation-updated' }>>
  | { type: 'page-wanted'; to: 'end' }
  | { type: 'page-wanted'; to: 'older' | 'newer' | 'message'; messageId: string };

export interface FakeOptions {
  /** `auto` streams an answer automatically; `manual` waits for `write` and `finish`. */
  answers?: 'auto' | 'manual';
  /** Milliseconds between two pieces of an answer. */
  paceMs?: number;
  /** Characters in a piece. */
  pieceLength?: number;
  /** The text of every answer. */
  answer?: string;
}

interface Around {
  readonly guard: (method: string) => Promise<void>;
  readonly changed: (...topics: Topic[]) => void;
  /** Makes the stream of a thread wait after its first event if a test holds it there. */
  readonly afterFirst: () => Promise<void> | undefined;
}

export const missing = () => new ORPCError('not_found', { message: 'There is no such chat.' });

/** Chats of the fake core. One answer can run at a time, and any number of readers watch. */
export function fakeChat(data: FakeData, options: FakeOptions, { guard, changed, afterFirst }: Around) {
  const os = implement(contract);
  const events = fakeChannel<FakeNews>();
  let running: Message | null = null;
  let serial = 0;

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
    for (let offset = 0; offset < words.length; offset += pieceLength) {
      await new Promise((resolve) => setTimeout(resolve, options.paceMs ?? 12));
      if (running?.id !== answer.id) return;
      write(words.slice(offset, offset + pieceLength));
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
    const sandbox = data.billingAccounts.find((entry) => entry.id === 'sandbox');
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

  const chat = {
    send: os.chat.send.handler(async ({ input }) => {
      // A send that may pass the caps has a name of its own, so that a test can make one kind fail without the other.
      await guard(input.overCaps ? 'chat.send over caps' : 'chat.send');
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
      await afterFirst();
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
          const { messageId, to: edge } = news;
          yield { type: 'page', seq: ++seq, at: edge, edgeId: messageId, ...around(messageId, before, after) } as const;
        }
      }
    }),
    page: os.chat.page.handler(async ({ input }) => {
      await guard('chat.page');
      if (input.to !== 'end') around(input.messageId, 0, 0);
      events.send({ type: 'page-wanted', ...input });
    }),
  };

  return { chat, thread, events, write, finish };
}

import { ORPCError } from '@orpc/client';
import type { QueryClient } from '@tanstack/react-query';
import type { ChatEvent } from '#shared/contract/chat/chat.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { mostAtOnce } from '#shared/contract/common/limits.ts';
import type { Api } from '../../api/api.ts';
import { retryDelay, waitMs } from '../../api/retry.ts';
import { answersOf, lengthBefore, sectionsOf, threadItemsOf } from '../thread-state/thread-items.ts';
import type { LiveAnswers } from './answer-views.ts';
import {
  type Thread,
  threadOf,
  withAdded,
  withBranch,
  withNewer,
  withOlder,
  withUpdated,
} from './conversation-cache.ts';

export const threadKey = (conversationId: string) => ['thread', conversationId];

export interface ThreadAccess {
  readonly api: Api;
  readonly queries: QueryClient;
  readonly answers: LiveAnswers;
  readonly conversationId: string;
}

const atOnce = 60;
/** About what a tall window shows. */
const seenAtOnce = 12;

/**
 * The one way in which a thread comes here: what the core says of it is put together, and nothing of it is read again. The
 * words of an answer that is being written go to those who draw it; the thread has them once it has ended.
 */
export function threadStream({ api, queries, answers, conversationId }: ThreadAccess) {
  const key = threadKey(conversationId);
  const current = () => queries.getQueryData<Thread>(key);
  const change = (next: (thread: Thread) => Thread) =>
    queries.setQueryData<Thread>(key, (thread) => thread && next(thread));
  let readerId: string | null = null;
  let arrival = Promise.withResolvers<void>();
  let reading = false;

  const arrived = () => {
    arrival.resolve();
    arrival = Promise.withResolvers();
  };

  /** False: words are missing, and the stream must begin again. */
  async function apply(event: ChatEvent): Promise<boolean> {
    switch (event.type) {
      case 'snapshot':
        readerId = event.readerId;
        for (const message of event.answers) answers.show(message);
        await prepare(event, event.hasNewer ? 'middle' : 'end');
        queries.setQueryData<Thread>(key, threadOf(event));
        arrived();
        return true;
      case 'page':
        await prepare(event, event.at === 'older' ? 'end' : 'start');
        change((thread) => (event.at === 'older' ? withOlder : withNewer)(thread, event.edgeId, event));
        arrived();
        return true;
      case 'branch-shown':
        await prepare(event, 'start');
        change((thread) => withBranch(thread, event));
        return true;
      case 'message-added':
        change((thread) => withAdded(thread, event.message));
        show(event.message);
        return true;
      case 'message-updated':
        change((thread) => ({ ...withUpdated(thread, event.message), total: event.total ?? thread.total }));
        show(event.message);
        return true;
      case 'conversation-updated':
        change((thread) => ({ ...thread, conversation: event.conversation, total: event.total }));
        return true;
      case 'text-delta':
        return answers.addText(event.messageId, event.offset + before(event.messageId).text, event.text);
      case 'reasoning-delta':
        return answers.addReasoning(event.messageId, event.offset + before(event.messageId).reasoning, event.text);
    }
  }

  const before = (id: string) => {
    const thread = current();
    const inColumn = thread?.columns.some((column) => column.id === id);
    return lengthBefore((inColumn ? thread?.columns : thread?.messages) ?? [], id);
  };

  /** What goes on with an answer in view is shown with it as one text. */
  function show(message: Message): void {
    if (message.role !== 'assistant') return;
    const thread = current();
    answers.show((message.continues && thread && joinedWith(thread, message.id)) || message);
  }

  /** What is about to be seen is parsed now, the rest when it comes into view. */
  async function prepare(
    { messages, columns }: Pick<Thread, 'messages' | 'columns'>,
    seen: 'start' | 'middle' | 'end',
  ): Promise<void> {
    const entries = threadItemsOf(messages, columns).flatMap(answersOf).flatMap(sectionsOf);
    for (const entry of entries) if (entry.role === 'assistant') answers.refresh(entry);
    const middle = Math.max(0, Math.floor((entries.length - seenAtOnce) / 2));
    const from = seen === 'start' ? 0 : seen === 'end' ? Math.max(0, entries.length - seenAtOnce) : middle;
    await answers.prepare(entries.slice(from, from + seenAtOnce));
  }

  /** Asks for another part of the thread and waits until it is here. */
  async function read(to: 'older' | 'newer' | 'end' | 'message', messageId = ''): Promise<void> {
    if (readerId === null) await arrival.promise;
    if (readerId === null) return;
    const here = arrival.promise;
    await api.chat.page(to === 'end' ? { readerId, to } : { readerId, to, messageId });
    await here;
  }

  async function readOn(to: 'older' | 'newer'): Promise<void> {
    const thread = current();
    const edge = to === 'older' ? thread?.messages[0] : thread?.messages.at(-1);
    if (reading || !edge || !(to === 'older' ? thread?.hasOlder : thread?.hasNewer)) return;
    reading = true;
    try {
      await read(to, edge.id);
    } finally {
      reading = false;
    }
  }

  return {
    /**
     * Follows until the signal. A lost or incomplete stream is opened again and begins with a snapshot of as much as is
     * here. Throws what the core refuses a thread for that is not here yet, or is not there any more.
     */
    async follow(signal: AbortSignal): Promise<void> {
      for (let attempt = 0; !signal.aborted; attempt++) {
        try {
          const limit = Math.min(mostAtOnce, Math.max(atOnce, current()?.messages.length ?? 0));
          const events = await api.chat.watch({ conversationId, at: 'place', limit }, { signal });
          let seq = 0;
          for await (const event of events) {
            if (signal.aborted || ('seq' in event && event.seq !== ++seq) || !(await apply(event))) break;
            attempt = 0;
          }
        } catch (error) {
          if (signal.aborted) return;
          if (error instanceof ORPCError && (!current() || error.code === 'not_found')) throw error;
          console.warn('The conversation’s stream ended', error);
        }
        readerId = null;
        await waitMs(retryDelay(attempt), signal);
      }
    },
    older: () => readOn('older'),
    newer: () => readOn('newer'),
    /** Reads the end of the branch, where it is not there yet. */
    toEnd: async (): Promise<void> => (current()?.hasNewer ? read('end') : undefined),
    /** Shows the branch through a message and reads what is around it. */
    async toMessage(messageId: string): Promise<void> {
      await api.messages.show({ messageId });
      await read('message', messageId);
    },
  };
}

export type ThreadStream = ReturnType<typeof threadStream>;

const joinedWith = ({ messages, columns }: Thread, id: string) =>
  threadItemsOf(messages, columns)
    .flatMap(answersOf)
    .flatMap(sectionsOf)
    .find((entry) => entry.id === id);

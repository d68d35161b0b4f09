import { ORPCError } from '@orpc/client';
import type { QueryClient } from '@tanstack/react-query';
import type { ChatEvent } from '#shared/contract/chat/chat.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { maxAtOnce } from '#shared/contract/common/limits.ts';
import type { Api } from '../../../api/api.ts';
import { retryDelay, waitMs } from '../../../api/retry.ts';
import { getAnswers, getSections, getThreadItems, lengthBefore } from '../state/thread-items.ts';
import type { LiveAnswers } from './answer-views.ts';
import {
  getThread,
  type Thread,
  withAdded,
  withBranch,
  withNewer,
  withOlder,
  withTotals,
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
/** Messages visible in a tall window. */
const seenAtOnce = 12;

/**
 * The only source of a thread: it merges events of the core and never refetches. The text of a running answer goes
 * straight to its row; the thread gets it when the answer has ended.
 */
export function threadStream({ api, queries, answers, conversationId }: ThreadAccess) {
  const key = threadKey(conversationId);
  const current = () => queries.getQueryData<Thread>(key);
  const change = (next: (thread: Thread) => Thread) =>
    queries.setQueryData<Thread>(key, (thread) => thread && next(thread));
  let readerId: string | null = null;
  let arrival = Promise.withResolvers<void>();
  let reading = false;
  let fresh = false;

  const arrived = () => {
    arrival.resolve();
    arrival = Promise.withResolvers();
  };

  /** Applies an event. Returns false if text is missing; the stream must then be opened again. */
  async function apply(event: ChatEvent): Promise<boolean> {
    switch (event.type) {
      case 'snapshot':
        readerId = event.readerId;
        for (const message of event.answers) answers.show(message);
        await prepare(event, event.hasNewer ? 'middle' : 'end');
        queries.setQueryData<Thread>(key, getThread(event));
        fresh = true;
        arrived();
        return true;
      case 'page':
        await prepare(event, event.at === 'older' ? 'end' : 'start');
        change((thread) => {
          const longer = (event.at === 'older' ? withOlder : withNewer)(thread, event.edgeId, event);
          return withTotals(longer, event.comparisons);
        });
        arrived();
        return true;
      case 'branch-shown':
        await prepare(event, 'start');
        change((thread) => withTotals(withBranch(thread, event), event.comparisons));
        return true;
      case 'message-added':
        change((thread) => withTotals(withAdded(thread, event.message), event.comparisons));
        show(event.message);
        return true;
      case 'message-updated':
        change((thread) => {
          const updated = withTotals(withUpdated(thread, event.message), event.comparisons);
          return { ...updated, total: event.total ?? thread.total };
        });
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

  /** A message that continues a visible answer is shown with it as one text. */
  function show(message: Message): void {
    if (message.role !== 'assistant') return;
    const thread = current();
    answers.show((message.continues && thread && joinedWith(thread, message.id)) || message);
  }

  /** Parses the messages that will be visible first. The others are parsed when they come into view. */
  async function prepare(
    { messages, columns, comparisons }: ShownMessages,
    seen: 'start' | 'middle' | 'end',
  ): Promise<void> {
    const entries = getThreadItems(messages, columns, comparisons).flatMap(getAnswers).flatMap(getSections);
    for (const entry of entries) if (entry.role === 'assistant') answers.refresh(entry);
    const middle = Math.max(0, Math.floor((entries.length - seenAtOnce) / 2));
    const from = seen === 'start' ? 0 : seen === 'end' ? Math.max(0, entries.length - seenAtOnce) : middle;
    await answers.prepare(entries.slice(from, from + seenAtOnce));
  }

  /** Asks for another page and waits until the stream has delivered it. */
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
     * Follows the stream until aborted. A lost or incomplete stream is opened again, with a snapshot of as many
     * messages as are loaded. Throws if the core refuses a thread that isn't loaded yet or no longer exists.
     */
    async follow(signal: AbortSignal): Promise<void> {
      for (let attempt = 0; !signal.aborted; attempt++) {
        try {
          const limit = Math.min(maxAtOnce, Math.max(atOnce, current()?.messages.length ?? 0));
          const events = await api.chat.watch({ conversationId, at: 'scroll_position', limit }, { signal });
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
        fresh = false;
        await waitMs(retryDelay(attempt), signal);
      }
    },
    /** Whether the thread is up to date. It isn't while its stream is lost and being opened again. */
    isFresh: () => fresh,
    older: () => readOn('older'),
    newer: () => readOn('newer'),
    /** Loads the end of the branch, if it is not loaded. */
    toEnd: async (): Promise<void> => (current()?.hasNewer ? read('end') : undefined),
    /** Switches to the branch of a message and loads the messages around it. */
    async toMessage(messageId: string): Promise<void> {
      await api.messages.show({ messageId });
      await read('message', messageId);
    },
  };
}

export type ThreadStream = ReturnType<typeof threadStream>;

type ShownMessages = Pick<Thread, 'messages' | 'columns' | 'comparisons'>;

const joinedWith = ({ messages, columns, comparisons }: ShownMessages, id: string) =>
  getThreadItems(messages, columns, comparisons)
    .flatMap(getAnswers)
    .flatMap(getSections)
    .find((entry) => entry.id === id);

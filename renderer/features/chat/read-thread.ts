import type { QueryClient } from '@tanstack/react-query';
import type { Api } from '../../lib/api.ts';
import { type Thread, withNewer, withOlder } from './conversation-cache.ts';
import { answersOf, entriesOf, sectionsOf } from './entries.ts';
import type { LiveAnswers } from './live-answers.ts';

export const threadKey = (conversationId: string) => ['messages', conversationId];

const atOnce = 60;
/** The contract's own limit. */
const mostAtOnce = 400;

export interface ThreadAccess {
  readonly api: Api;
  readonly queries: QueryClient;
  readonly answers: LiveAnswers;
  readonly conversationId: string;
  /** Something happened while the thread was read for the first time. */
  readonly early: { current: boolean };
}

/** The stretch that is on screen, read again; the first time, the place that was kept, or the end. */
export async function readThread(access: ThreadAccess, signal: AbortSignal): Promise<Thread> {
  const { api, queries, answers, conversationId: id } = access;
  const before = queries.getQueryData<Thread>(threadKey(id));
  const limit = Math.min(mostAtOnce, Math.max(atOnce, before?.messages.length ?? 0));
  const ends = !before?.hasNewer;
  const thread = await api.conversations.get({ id, limit: ends ? limit : 1, at: before ? 'end' : 'place' }, { signal });
  const stretch = !before || ends ? thread : await sameStretch(access, before, signal);
  const fresh = { ...thread, ...(stretch ?? (await api.conversations.get({ id, limit }, { signal }))) };
  await noteAnswers(answers, fresh, thread.place ? 'middle' : 'end');
  return fresh;
}

/** Null: its first message is gone, or the branch is another one now. */
async function sameStretch({ api }: ThreadAccess, before: Thread, signal: AbortSignal) {
  const [first] = before.messages;
  if (!first) return null;
  const input = { messageId: first.id, before: 0, after: before.messages.length - 1 };
  return api.conversations.around(input, { signal }).catch(() => null);
}

/** About what a tall window shows. */
const seenAtOnce = 12;

/** What is about to be seen is parsed now, the rest when it comes into view. */
async function noteAnswers(
  answers: LiveAnswers,
  { messages, columns }: Pick<Thread, 'messages' | 'columns'>,
  seen: 'start' | 'middle' | 'end',
): Promise<void> {
  const entries = entriesOf(messages, columns).flatMap(answersOf).flatMap(sectionsOf);
  for (const entry of entries) if (entry.role === 'assistant') answers.refresh(entry);
  const middle = Math.max(0, Math.floor((entries.length - seenAtOnce) / 2));
  const from = seen === 'start' ? 0 : seen === 'end' ? Math.max(0, entries.length - seenAtOnce) : middle;
  await answers.prepare(entries.slice(from, from + seenAtOnce));
}

/** Reads on at either end, and goes elsewhere. One reading at a time; what is out of date when it arrives is dropped. */
export function threadPages(access: ThreadAccess) {
  const { api, queries, answers, conversationId } = access;
  const key = threadKey(conversationId);
  const current = () => queries.getQueryData<Thread>(key);
  const change = (next: (thread: Thread) => Thread) =>
    queries.setQueryData<Thread>(key, (thread) => thread && next(thread));
  let reading = false;

  async function page(at: 'older' | 'newer'): Promise<void> {
    const thread = current();
    const edge = at === 'older' ? thread?.messages[0] : thread?.messages.at(-1);
    if (reading || !edge || !(at === 'older' ? thread?.hasOlder : thread?.hasNewer)) return;
    reading = true;
    try {
      const input = at === 'older' ? { before: atOnce, after: 0 } : { before: 0, after: atOnce };
      const stretch = await api.conversations.around({ messageId: edge.id, ...input });
      await noteAnswers(answers, stretch, at === 'older' ? 'end' : 'start');
      change((now) => (at === 'older' ? withOlder(now, edge.id, stretch) : withNewer(now, edge.id, stretch)));
    } finally {
      reading = false;
    }
  }

  return {
    older: () => page('older'),
    newer: () => page('newer'),
    /** Reads the end of the branch, where it is not there yet. */
    async toEnd(): Promise<void> {
      if (!current()?.hasNewer) return;
      const thread = await api.conversations.get({ id: conversationId, limit: atOnce });
      await noteAnswers(answers, thread, 'end');
      queries.setQueryData<Thread>(key, thread);
    },
    /** Shows the branch through a message and reads what is around it. */
    async toMessage(messageId: string): Promise<void> {
      await api.messages.show({ messageId });
      const [thread, stretch] = await Promise.all([
        api.conversations.get({ id: conversationId, limit: 1 }),
        api.conversations.around({ messageId }),
      ]);
      await noteAnswers(answers, stretch, 'middle');
      queries.setQueryData<Thread>(key, { ...thread, ...stretch });
    },
  };
}

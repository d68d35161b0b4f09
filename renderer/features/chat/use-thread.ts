import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ChatEvent } from '#shared/contract/chat.ts';
import type { Message } from '#shared/contract/conversations.ts';
import { type Api, useApi } from '../../lib/api.ts';
import { retryDelay, waitMs } from '../../lib/retry.ts';
import { type Thread, withAdded, withUpdated } from './conversation-cache.ts';
import type { LiveAnswers } from './live-answers.ts';
import { useLiveAnswers } from './use-answer.ts';

/** About what a tall window shows of the end of a conversation. */
const shownAtFirst = 12;

const keyOf = (conversationId: string) => ['messages', conversationId];

/** The conversation as the core has it, kept up to date while it is on screen. */
export function useThread(conversationId: string) {
  const api = useApi();
  const queries = useQueryClient();
  const answers = useLiveAnswers();
  const query = useQuery({
    queryKey: keyOf(conversationId),
    queryFn: async ({ signal }): Promise<Thread> => {
      const thread = await api.conversations.get({ id: conversationId }, { signal });
      // What is not known yet is parsed when it comes into view.
      for (const message of thread.messages) if (message.role === 'assistant') answers.refresh(message);
      await answers.prepare(thread.messages.slice(-shownAtFirst));
      return thread;
    },
  });
  useEffect(() => {
    const leave = new AbortController();
    void follow({ api, queries, answers, conversationId }, leave.signal);
    return () => leave.abort();
  }, [api, queries, answers, conversationId]);
  return query;
}

interface Following {
  api: Api;
  queries: QueryClient;
  answers: LiveAnswers;
  conversationId: string;
}

/** Watches until the signal; a lost or incomplete stream is opened again and begins with what it missed. */
async function follow(following: Following, signal: AbortSignal): Promise<void> {
  let opened = 0;
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      opened++;
      const events = await following.api.chat.watch({ conversationId: following.conversationId }, { signal });
      for await (const event of events) {
        attempt = 0;
        if (!apply(following, event, opened > 1)) break;
      }
    } catch (error) {
      if (signal.aborted) return;
      console.warn('The conversation’s stream ended', error);
    }
    await waitMs(retryDelay(attempt), signal);
  }
}

/** False: a piece is missing and the stream must begin again. `again`: there was time in which nobody listened. */
function apply({ queries, answers, conversationId }: Following, event: ChatEvent, again: boolean): boolean {
  const queryKey = keyOf(conversationId);
  const change = (next: (thread: Thread) => Thread) =>
    queries.setQueryData<Thread>(queryKey, (thread) => thread && next(thread));
  switch (event.type) {
    case 'snapshot': {
      for (const message of event.answers) answers.show(message);
      const thread = queries.getQueryData<Thread>(queryKey);
      if (again || (thread && missed(thread, event.answers))) void queries.invalidateQueries({ queryKey });
      return true;
    }
    case 'message-added':
      if (event.message.role === 'assistant') answers.show(event.message);
      change((thread) => withAdded(thread, event.message));
      return true;
    case 'message-updated':
      if (event.message.role === 'assistant') answers.show(event.message);
      change((thread) => withUpdated(thread, event.message));
      return true;
    case 'text-delta':
      return answers.addText(event.messageId, event.offset, event.text);
    case 'reasoning-delta':
      return answers.addReasoning(event.messageId, event.offset, event.text);
  }
}

/** What ran when the thread was read and does not run now has ended unseen; what runs now may be new. */
function missed(thread: Thread, running: readonly Message[]): boolean {
  const ids = new Set(running.map((message) => message.id));
  const known = new Set(thread.messages.map((message) => message.id));
  const ended = thread.messages.some((message) => message.status === 'streaming' && !ids.has(message.id));
  return ended || running.some((message) => !known.has(message.id));
}

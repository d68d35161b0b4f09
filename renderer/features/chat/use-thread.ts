import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ChatEvent } from '#shared/contract/chat.ts';
import { type Api, useApi } from '../../lib/api.ts';
import { retryDelay, waitMs } from '../../lib/retry.ts';
import { type Thread, withAdded, withUpdated } from './conversation-cache.ts';
import type { LiveAnswers } from './live-answers.ts';
import { useLiveAnswers } from './use-answer.ts';

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
      for (const message of thread.messages) if (message.role === 'assistant') answers.show(message);
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
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const events = await following.api.chat.watch({ conversationId: following.conversationId }, { signal });
      for await (const event of events) {
        attempt = 0;
        if (!apply(following, event)) break;
      }
    } catch (error) {
      if (signal.aborted) return;
      console.warn('The conversation’s stream ended', error);
    }
    await waitMs(retryDelay(attempt), signal);
  }
}

/** False: a piece is missing and the stream must begin again. */
function apply({ queries, answers, conversationId }: Following, event: ChatEvent): boolean {
  const change = (next: (thread: Thread) => Thread) =>
    queries.setQueryData<Thread>(keyOf(conversationId), (thread) => thread && next(thread));
  switch (event.type) {
    case 'snapshot': {
      for (const message of event.answers) answers.show(message);
      // What ran when the thread was read and does not run now has ended unseen; what runs now may be new.
      void queries.invalidateQueries({ queryKey: keyOf(conversationId) });
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

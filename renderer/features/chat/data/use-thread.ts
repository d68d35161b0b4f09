import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useApi } from '../../../api/api.ts';
import { useNav } from '../../../navigation/nav.ts';
import { text as chatText } from '../../../text/chat-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { getThreadItems } from '../state/thread-items.ts';
import type { Thread } from './conversation-cache.ts';
import { threadKey, threadStream } from './follow-thread.ts';
import { useLiveAnswers } from './use-answer.ts';

/** The conversation as stored in the core, loaded in pages and kept up to date while it is on screen. */
export function useThread(conversationId: string) {
  const api = useApi();
  const queries = useQueryClient();
  const answers = useLiveAnswers();
  const stream = useMemo(
    () => threadStream({ api, queries, answers, conversationId }),
    [api, queries, answers, conversationId],
  );
  const [refused, setRefused] = useState<{ readonly error: unknown } | null>(null);
  useEffect(() => {
    if (refused) return;
    const leave = new AbortController();
    stream.follow(leave.signal).catch((error: unknown) => setRefused({ error }));
    return () => leave.abort();
  }, [stream, refused]);
  useOpened(conversationId);
  const { data: thread } = useQuery<Thread>({ queryKey: threadKey(conversationId), queryFn: skipToken });
  const messages = thread?.messages;
  const columns = thread?.columns;
  const comparisons = thread?.comparisons;
  const items = useMemo(() => getThreadItems(messages ?? [], columns, comparisons), [messages, columns, comparisons]);
  return { thread, items, pages: stream, refused, retry: () => setRefused(null) };
}

/**
 * Reports to the core which chat is open, because the next start opens it again. A temporary chat that is left this way
 * can be reopened with Undo.
 */
export function useOpened(conversationId: string | null): void {
  const api = useApi();
  const { undoable } = useNotify();
  const left = useEffectEvent((id: string) => {
    undoable(chatText.temporaryLeft, () => useNav.getState().go({ page: 'chat', conversationId: id }));
  });
  useEffect(() => {
    api.conversations.opened({ id: conversationId }).then(
      ({ leaving }) => {
        for (const id of leaving) left(id);
      },
      (error: unknown) => console.warn('The next start will begin elsewhere', error),
    );
  }, [api, conversationId]);
}

import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useApi } from '../../../api/api.ts';
import { getThreadItems } from '../state/thread-items.ts';
import type { Thread } from './conversation-cache.ts';
import { threadKey, threadStream } from './follow-thread.ts';
import { useLiveAnswers } from './use-answer.ts';
import { useOpened } from './use-opened.ts';

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

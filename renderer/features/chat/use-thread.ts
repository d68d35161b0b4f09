import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useApi } from '../../lib/api.ts';
import type { Thread } from './conversation-cache.ts';
import { entriesOf } from './entries.ts';
import { readThread, threadKey, threadPages } from './read-thread.ts';
import { useLiveAnswers } from './use-answer.ts';
import { useOpened } from './use-opened.ts';
import { watchChat } from './watch-chat.ts';

/** The conversation as the core has it, a stretch at a time, kept up to date while it is on screen. */
export function useThread(conversationId: string) {
  const api = useApi();
  const queries = useQueryClient();
  const answers = useLiveAnswers();
  const access = useMemo(
    () => ({ api, queries, answers, conversationId, early: { current: false } }),
    [api, queries, answers, conversationId],
  );
  const query = useQuery({
    queryKey: threadKey(conversationId),
    queryFn: ({ signal }) => readThread(access, signal),
  });
  useEffect(() => {
    const leave = new AbortController();
    void watchChat(access, leave.signal);
    return () => leave.abort();
  }, [access]);
  useOpened(conversationId);
  const { isSuccess } = query;
  // What changed while the first reading was under way was told to nobody: a running answer may have ended since.
  useEffect(() => {
    const thread = isSuccess && queries.getQueryData<Thread>(threadKey(conversationId));
    if (thread && (thread.runningIds.length > 0 || access.early.current))
      void queries.invalidateQueries({ queryKey: threadKey(conversationId) });
    access.early.current = false;
  }, [isSuccess, queries, access, conversationId]);
  const pages = useMemo(() => threadPages(access), [access]);
  const messages = query.data?.messages;
  const columns = query.data?.columns;
  const entries = useMemo(() => entriesOf(messages ?? [], columns), [messages, columns]);
  return { query, entries, pages };
}

import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi } from '../../lib/api.ts';

/** Where a text occurs in a conversation, loaded or not: each place by message and its number within it. */
export function useFind(conversationId: string, text: string) {
  const api = useApi();
  const found = useQuery({
    queryKey: ['messages', conversationId, 'find', text],
    queryFn: ({ signal }) => api.search.inConversation({ conversationId, text }, { signal }),
    enabled: text !== '',
  });
  const places = (text === '' ? [] : (found.data?.matches ?? [])).flatMap(({ messageId, count }) =>
    Array.from({ length: count }, (_, nth) => ({ messageId, nth })),
  );
  const counts = useMemo(
    () => new Map(found.data?.matches.map(({ messageId, count }) => [messageId, count])),
    [found.data],
  );
  return { places, counts, failed: found.isError, ready: found.data !== undefined };
}

import { skipToken, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useOrpc } from '../../api/api.ts';

/** The matches in a conversation, whether loaded or not: message id and index within the message. */
export function useFind(conversationId: string, text: string) {
  const input = text === '' ? skipToken : { conversationId, text };
  const found = useQuery(useOrpc().search.inConversation.queryOptions({ input }));
  const matches = (text === '' ? [] : (found.data?.matches ?? [])).flatMap(({ messageId, count }) =>
    Array.from({ length: count }, (_, nth) => ({ messageId, nth })),
  );
  const counts = useMemo(
    () => new Map(found.data?.matches.map(({ messageId, count }) => [messageId, count])),
    [found.data],
  );
  return { matches, counts, failed: found.isError, ready: found.data !== undefined };
}

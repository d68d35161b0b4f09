import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../lib/api.ts';

const settlingMs = 500;

/** Why the router chose; asked again while the gateway has not closed its books on the answer. */
export function useRouting(messageId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['routing', messageId],
    queryFn: ({ signal }) => api.chat.routing({ messageId }, { signal }),
    refetchInterval: ({ state: { data } }) => (data && !data.known && data.why === 'settling' ? settlingMs : false),
  });
}

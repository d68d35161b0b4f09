import { useQuery } from '@tanstack/react-query';
import { useOrpc } from '../../api/api.ts';

const settlingMs = 500;

/** Why the router chose; asked again while the gateway has not closed its books on the answer. */
export function useRouting(messageId: string) {
  return useQuery(
    useOrpc().chat.routing.queryOptions({
      input: { messageId },
      refetchInterval: ({ state: { data } }) => (data && !data.known && data.why === 'settling' ? settlingMs : false),
    }),
  );
}

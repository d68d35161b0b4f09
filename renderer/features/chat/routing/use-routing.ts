import { useQuery } from '@tanstack/react-query';
import { useOrpc } from '../../../api/api.ts';

const settlingMs = 500;

/** The router’s reasons; refetched until the gateway has settled the request. */
export function useRouting(messageId: string) {
  return useQuery(
    useOrpc().chat.routing.queryOptions({
      input: { messageId },
      refetchInterval: ({ state: { data } }) => (data && !data.known && data.why === 'settling' ? settlingMs : false),
    }),
  );
}

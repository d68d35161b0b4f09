import { useQuery } from '@tanstack/react-query';
import { useOrpc } from '../../../api/api.ts';
import { newChatKey } from '../../../browser/new-chat-key.ts';
import type { RouteAsked } from '../../../navigation/thread-view.ts';

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

/** The router’s current choice for this message; never cached, since it depends on prices and providers. */
export function useRoutePreview({ conversationId, folderId = null, inPlaceOf, text, attachments, model }: RouteAsked) {
  return useQuery(
    useOrpc().quotes.route.queryOptions({
      input: {
        conversationId,
        folderId,
        newChat: newChatKey,
        inPlaceOf,
        text,
        attachments: [...attachments],
        model,
      },
      gcTime: 0,
      staleTime: 0,
    }),
  );
}

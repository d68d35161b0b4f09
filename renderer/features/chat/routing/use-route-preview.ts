import { useQuery } from '@tanstack/react-query';
import { useOrpc } from '../../../api/api.ts';
import { newChatKey } from '../../../browser/new-chat-key.ts';
import type { RouteAsked } from '../../../navigation/thread-view.ts';

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

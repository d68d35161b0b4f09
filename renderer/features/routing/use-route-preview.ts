import { useQuery } from '@tanstack/react-query';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { useOrpc } from '../../api/api.ts';
import { newChatKey } from '../../browser/new-chat-key.ts';

export interface RouteAsked {
  readonly conversationId: string | null;
  /** What it replaces: an own message with this text, or an answer that is asked for again. */
  readonly inPlaceOf: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
  /** The folder that a new conversation begins in. */
  readonly folderId?: string | null;
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

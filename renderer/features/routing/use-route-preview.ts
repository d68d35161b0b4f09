import { useQuery } from '@tanstack/react-query';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { useOrpc } from '../../api/api.ts';

export interface RouteAsked {
  readonly conversationId: string | null;
  /** In whose place it would stand: an own message with these words, or an answer, which is asked for again. */
  readonly inPlaceOf: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
}

/** What the router would choose for this message now; asked anew each time, as it changes with prices and providers. */
export function useRoutePreview({ conversationId, inPlaceOf, text, attachments, model }: RouteAsked) {
  return useQuery(
    useOrpc().quotes.route.queryOptions({
      input: { conversationId, inPlaceOf, text, attachments: [...attachments], model },
      gcTime: 0,
      staleTime: 0,
    }),
  );
}

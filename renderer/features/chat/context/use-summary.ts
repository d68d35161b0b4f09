import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import { useApi, useOrpc } from '../../../api/api.ts';

/** The summary that replaces the beginning of this chat, and what creating one would cost. */
export function useSummary(conversationId: string | null) {
  const input = conversationId === null ? skipToken : { conversationId };
  return useQuery(useOrpc().context.summary.queryOptions({ input }));
}

export function useCompactQuote(conversationId: string | null, model: string, wanted: boolean) {
  const input = !wanted || conversationId === null ? skipToken : { conversationId, model };
  return useQuery(useOrpc().context.quoteCompact.queryOptions({ input }));
}

export function useSummaryCalls(conversationId: string) {
  const api = useApi();
  return {
    compact: useMutation({
      mutationFn: ({ model, overCaps }: { model: string; overCaps: boolean }) =>
        api.context.compact({ conversationId, model, overCaps }),
    }),
    remove: useMutation({ mutationFn: () => api.context.removeSummary({ conversationId }) }),
  };
}

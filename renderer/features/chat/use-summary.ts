import { useMutation, useQuery } from '@tanstack/react-query';
import { useApi } from '../../lib/api.ts';

/** The text that stands for the beginning of this chat, and what making one would cost. */
export function useSummary(conversationId: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: ['context', 'summary', conversationId],
    queryFn: ({ signal }) => api.context.summary({ conversationId: conversationId ?? '' }, { signal }),
    enabled: conversationId !== null,
  });
}

export function useCompactQuote(conversationId: string | null, model: string, wanted: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: ['context', 'quote', conversationId, model],
    queryFn: ({ signal }) => api.context.quoteCompact({ conversationId: conversationId ?? '', model }, { signal }),
    enabled: wanted && conversationId !== null,
  });
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

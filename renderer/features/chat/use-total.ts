import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../lib/api.ts';

/** What a conversation cost; asked again whenever money may have moved. */
export function useTotal(conversationId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['money', 'total', conversationId],
    queryFn: ({ signal }) => api.bills.total({ conversationId }, { signal }),
  });
}

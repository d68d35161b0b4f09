import { useInfiniteQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/fields.ts';
import { useApi } from '../../lib/api.ts';

/** The ledger, newest lines first, page by page. */
export function useCredits(wallet: Wallet) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ['money', 'credits', wallet],
    queryFn: ({ pageParam, signal }) => api.credits.get({ wallet, limit: 50, after: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ transactions }) => (transactions.has_more ? transactions.last_id : null),
  });
}

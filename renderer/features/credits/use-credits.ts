import { useInfiniteQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useOrpc } from '../../api/api.ts';
import { ofTheBooks } from '../../api/use-core.ts';

/** The ledger, newest lines first, paginated. */
export function useCredits(wallet: Wallet) {
  return useInfiniteQuery(
    useOrpc().credits.get.infiniteOptions({
      input: (after: string | null) => ({ wallet, limit: 50, after }),
      ...ofTheBooks,
      initialPageParam: null as string | null,
      getNextPageParam: ({ transactions }) => (transactions.has_more ? transactions.last_id : null),
    }),
  );
}

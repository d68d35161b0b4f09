import { useInfiniteQuery, useMutation, useQueries, useQuery } from '@tanstack/react-query';
import type { ReportedTransaction } from '#shared/client/reported.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useApi, useOrpc } from '../../../api/api.ts';
import { ofTheBooks } from '../../../api/use-core.ts';

export interface LineFilter {
  readonly type: ReportedTransaction['type'];
  /** Epoch milliseconds; null: from the beginning. */
  readonly start: number | null;
}

/** The ledger, newest lines first, paginated. */
export function useCredits(wallet: Wallet, { type, start }: LineFilter) {
  return useInfiniteQuery(
    useOrpc().credits.get.infiniteOptions({
      input: (after: string | null) => ({ wallet, limit: 50, after, type, start }),
      ...ofTheBooks,
      initialPageParam: null as string | null,
      getNextPageParam: ({ transactions }) => (transactions.has_more ? transactions.last_id : null),
    }),
  );
}

/** A budget of the person's own for this month. */
export const useBudget = (wallet: Wallet) =>
  useQuery(useOrpc().funds.budget.queryOptions({ input: { wallet }, ...ofTheBooks }));

export function useSetBudget() {
  const { funds } = useApi();
  return useMutation({
    mutationFn: (wanted: { wallet: Wallet; limitUsd: string | null }) => funds.setBudget(wanted),
  });
}

/** Each account by itself: one that is away keeps nobody else waiting, and has its own time. */
export function useFunds(ids: readonly string[]) {
  const { funds } = useOrpc();
  return useQueries({
    queries: ids.map((id) => ({ ...funds.account.queryOptions({ input: { id }, ...ofTheBooks }), staleTime: 10_000 })),
  });
}

import { useInfiniteQuery, useMutation, useQueries, useQuery } from '@tanstack/react-query';
import type { ReportedTransaction } from '#shared/client/reported.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { useApi, useOrpc } from '../../../api/api.ts';
import { refetchOnFocus } from '../../../api/use-core.ts';

export interface LineFilter {
  readonly type: ReportedTransaction['type'];
  /** Epoch milliseconds. Null: from the beginning. */
  readonly start: number | null;
}

/** The ledger, newest lines first, paginated. */
export function useCredits(billingAccount: BillingAccount, { type, start }: LineFilter) {
  return useInfiniteQuery(
    useOrpc().credits.get.infiniteOptions({
      input: (after: string | null) => ({ billingAccount, limit: 50, after, type, start }),
      ...refetchOnFocus,
      initialPageParam: null as string | null,
      getNextPageParam: ({ transactions }) => (transactions.has_more ? transactions.last_id : null),
    }),
  );
}

/** The person's own budget for this month. */
export const useBudget = (billingAccount: BillingAccount) =>
  useQuery(useOrpc().funds.budget.queryOptions({ input: { billingAccount }, ...refetchOnFocus }));

export function useSetBudget() {
  const { funds } = useApi();
  return useMutation({
    mutationFn: (wanted: { billingAccount: BillingAccount; limitUsd: string | null }) => funds.setBudget(wanted),
  });
}

/** Each account has its own query, so that an unreachable one doesn't delay the others, and each has its own time. */
export function useFunds(ids: readonly string[]) {
  const { funds } = useOrpc();
  return useQueries({
    queries: ids.map((id) => ({
      ...funds.account.queryOptions({ input: { id }, ...refetchOnFocus }),
      staleTime: 10_000,
    })),
  });
}

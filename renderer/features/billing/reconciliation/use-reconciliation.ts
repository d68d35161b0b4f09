import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useApi, useOrpc } from '../../../api/api.ts';
import { ofTheBooks } from '../../../api/use-core.ts';

/** While the books of a gateway elsewhere are being read. */
const readOnMs = 5_000;

/** Of the open rows, the first `limit`. */
export function useReconciliation(wallet: Wallet, limit: number) {
  return useQuery(
    useOrpc().reconciliation.get.queryOptions({
      input: { wallet, limit },
      placeholderData: keepPreviousData,
      ...ofTheBooks,
      refetchInterval: ({ state }) => (state.data?.part ? readOnMs : false),
    }),
  );
}

export function useDrift(wallet: Wallet, limit: number) {
  return useQuery(
    useOrpc().reconciliation.drift.queryOptions({ input: { wallet, limit }, placeholderData: keepPreviousData }),
  );
}

export function useDriftAlarm() {
  return useQuery(useOrpc().reconciliation.alarm.queryOptions());
}

export function useReconciliationCalls(wallet: Wallet) {
  const api = useApi();
  return {
    lookUp: useMutation({
      mutationFn: (row: { requestId: string | null; spendId: string | null }) =>
        api.reconciliation.lookUp({ wallet, requestId: row.requestId, spendId: row.spendId }),
    }),
    mark: useMutation({
      mutationFn: (mark: { requestId: string; explained: boolean }) => api.reconciliation.mark(mark),
    }),
  };
}

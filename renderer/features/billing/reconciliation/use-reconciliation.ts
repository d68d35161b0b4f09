import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { useApi, useOrpc } from '../../../api/api.ts';
import { refetchOnFocus } from '../../../api/use-core.ts';

/** The polling interval while a remote ledger is being read. */
const readOnMs = 5_000;

/** Reconciles an account and returns the first `limit` open rows. */
export function useReconciliation(billingAccount: BillingAccount, limit: number) {
  return useQuery(
    useOrpc().reconciliation.get.queryOptions({
      input: { billingAccount, limit },
      placeholderData: keepPreviousData,
      ...refetchOnFocus,
      refetchInterval: ({ state }) => (state.data?.part ? readOnMs : false),
    }),
  );
}

export function useDrift(billingAccount: BillingAccount, limit: number) {
  return useQuery(
    useOrpc().reconciliation.drift.queryOptions({
      input: { billingAccount, limit },
      placeholderData: keepPreviousData,
    }),
  );
}

export function useDriftAlarm() {
  return useQuery(useOrpc().reconciliation.alarm.queryOptions());
}

export function useReconciliationCalls(billingAccount: BillingAccount) {
  const api = useApi();
  return {
    lookUp: useMutation({
      mutationFn: (row: { requestId: string | null; spendId: string | null }) =>
        api.reconciliation.lookUp({ billingAccount, requestId: row.requestId, spendId: row.spendId }),
    }),
    mark: useMutation({
      mutationFn: (mark: { requestId: string; explained: boolean }) => api.reconciliation.mark(mark),
    }),
  };
}

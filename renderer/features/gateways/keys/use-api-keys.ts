import { useMutation, useQueries } from '@tanstack/react-query';
import { useApi, useOrpc } from '../../../api/api.ts';

type Calls = ReturnType<typeof useApi>['apiKeys'];

/** The keys of several accounts, in the order of the accounts. An error of one account is the error of all. */
export function useApiKeys(accounts: readonly string[]) {
  const { apiKeys } = useOrpc();
  return useQueries({
    queries: accounts.map((account) => apiKeys.list.queryOptions({ input: { account } })),
    combine: (results) => ({
      keys: results.every(({ data }) => data) ? results.flatMap(({ data }) => data?.keys ?? []) : null,
      complete: results.every(({ data }) => data?.complete !== false),
      error: results.find(({ error }) => error)?.error ?? null,
      readAt: Math.min(...results.map(({ dataUpdatedAt }) => dataUpdatedAt)),
      refetch: () => results.forEach((result) => void result.refetch()),
    }),
  });
}

export function useApiKeyCalls() {
  const { apiKeys } = useApi();
  return {
    // A key must not stay in the cache after it has been shown.
    create: useMutation({ mutationFn: (wanted: Parameters<Calls['create']>[0]) => apiKeys.create(wanted), gcTime: 0 }),
    rotate: useMutation({ mutationFn: (wanted: Parameters<Calls['rotate']>[0]) => apiKeys.rotate(wanted), gcTime: 0 }),
    change: useMutation({ mutationFn: (wanted: Parameters<Calls['change']>[0]) => apiKeys.change(wanted) }),
    revoke: useMutation({ mutationFn: (wanted: Parameters<Calls['revoke']>[0]) => apiKeys.revoke(wanted) }),
  };
}

import { useMutation, useQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useApi, useOrpc } from '../../api/api.ts';

/** The built-in gateway’s keys for other programs. */
export function useLocalKeys() {
  return useQuery(useOrpc().localKeys.list.queryOptions());
}

export function useLocalKeyCalls() {
  const api = useApi();
  return {
    create: useMutation({
      mutationFn: (key: { name: string; wallet: Wallet; limitUsd: string | null }) => api.localKeys.create(key),
      // A key must not stay in the cache after it has been shown.
      gcTime: 0,
    }),
    revoke: useMutation({ mutationFn: (id: string) => api.localKeys.revoke({ id }) }),
  };
}

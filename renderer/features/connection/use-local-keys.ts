import { useMutation, useQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useApi, useOrpc } from '../../api/api.ts';

/** The embedded gateway's keys for other programs; read again with each change of the gateway. */
export function useLocalKeys() {
  return useQuery(useOrpc().localKeys.list.queryOptions());
}

export function useLocalKeyCalls() {
  const api = useApi();
  return {
    create: useMutation({
      mutationFn: (key: { name: string; wallet: Wallet; limitUsd: string | null }) => api.localKeys.create(key),
      // A key must not stay in memory longer than it is shown.
      gcTime: 0,
    }),
    revoke: useMutation({ mutationFn: (id: string) => api.localKeys.revoke({ id }) }),
  };
}

import { useMutation, useQuery } from '@tanstack/react-query';
import { useApi, useOrpc } from './api.ts';

/** Accounts at other gateways, and which of them pays. */
export const useGatewayAccounts = () => useQuery(useOrpc().gatewayAccounts.list.queryOptions());

export function useGatewayAccountCalls() {
  const { gatewayAccounts } = useApi();
  return {
    add: useMutation({
      mutationFn: (account: { name: string | null; baseUrl: string; key: string; replace?: boolean }) =>
        gatewayAccounts.add(account),
      // A credential must not stay in the cache.
      gcTime: 0,
    }),
    change: useMutation({
      mutationFn: (change: { id: string; name?: string; key?: string }) => gatewayAccounts.change(change),
      gcTime: 0,
    }),
    use: useMutation({ mutationFn: (id: string | null) => gatewayAccounts.use({ id }) }),
    setOwnKeys: useMutation({
      mutationFn: (wanted: { id: string; on: boolean }) => gatewayAccounts.setOwnKeys(wanted),
    }),
    remove: useMutation({ mutationFn: (id: string) => gatewayAccounts.remove({ id }) }),
  };
}

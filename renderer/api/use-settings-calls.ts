import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { GatewayConnection } from '#shared/contract/app/gateway.ts';
import type { NetworkSettings } from '#shared/contract/app/network.ts';
import { useApi, useOrpc } from './api.ts';
import { askAgainAfter } from './ask-again.ts';

/** Searches this computer for model servers. It runs only when the user starts it. */
export function useDiscovery() {
  const api = useApi();
  return useMutation({ mutationFn: () => api.providers.discover() });
}

export function useGateway() {
  return useQuery(
    useOrpc().gateway.get.queryOptions({
      refetchInterval: ({ state }) => askAgainAfter(state.data?.status.retryAfterMs ?? null),
    }),
  );
}

export function useGatewayCalls() {
  const api = useApi();
  const queries = useQueryClient();
  const { queryKey } = useOrpc().gateway.get.queryOptions();
  const onSuccess = (connection: GatewayConnection) => queries.setQueryData(queryKey, connection);
  return {
    listen: useMutation({
      mutationFn: (entry: { enabled: boolean; port: number }) => api.gateway.listen(entry),
      onSuccess,
    }),
  };
}

export function useNetwork() {
  return useQuery(useOrpc().network.get.queryOptions());
}

export function useNetworkCalls() {
  const api = useApi();
  const queries = useQueryClient();
  const { queryKey } = useOrpc().network.get.queryOptions();
  return {
    set: useMutation({
      mutationFn: (entry: NetworkSettings & { password?: string | null }) => api.network.set(entry),
      onSuccess: (saved) => queries.setQueryData(queryKey, saved),
      gcTime: 0,
    }),
    test: useMutation({ mutationFn: (origin: string) => api.network.test({ origin }) }),
  };
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { GatewayConnection } from '#shared/contract/gateway.ts';
import type { Provider, ProviderId } from '#shared/contract/providers.ts';
import { useApi } from '../../lib/api.ts';
import { askAgainAfter } from '../../lib/ask-again.ts';

/** What the settings may ask of the core beside the settings themselves. Answers replace what is shown at once. */

export function useProviderCalls() {
  const api = useApi();
  const queries = useQueryClient();
  const onSuccess = (changed: Provider) =>
    queries.setQueryData<Provider[]>(['providers'], (list) =>
      list?.map((entry) => (entry.id === changed.id ? changed : entry)),
    );
  return {
    setKey: useMutation({
      mutationFn: (entry: { id: ProviderId; key: string | null; baseUrl: string | null }) =>
        api.providers.setKey(entry),
      onSuccess,
      // A key must not stay in memory longer than the call that takes it.
      gcTime: 0,
    }),
    check: useMutation({ mutationFn: (id: ProviderId) => api.providers.check({ id }), onSuccess }),
    remove: useMutation({ mutationFn: (id: ProviderId) => api.providers.removeKey({ id }), onSuccess }),
  };
}

/** Nothing is looked for until somebody asks. */
export function useDiscovery() {
  const api = useApi();
  return useMutation({ mutationFn: () => api.providers.discover() });
}

export function useGateway() {
  const api = useApi();
  return useQuery({
    queryKey: ['gateway'],
    queryFn: ({ signal }) => api.gateway.get(undefined, { signal }),
    refetchInterval: ({ state }) => askAgainAfter(state.data?.status.retryAfterMs ?? null),
  });
}

export function useGatewayCalls() {
  const api = useApi();
  const queries = useQueryClient();
  const onSuccess = (connection: GatewayConnection) => queries.setQueryData(['gateway'], connection);
  return {
    connect: useMutation({
      mutationFn: (entry: { baseUrl: string; key: string }) => api.gateway.connect(entry),
      onSuccess,
      gcTime: 0,
    }),
    disconnect: useMutation({ mutationFn: () => api.gateway.disconnect(), onSuccess }),
    listen: useMutation({
      mutationFn: (entry: { enabled: boolean; port: number }) => api.gateway.listen(entry),
      onSuccess,
    }),
  };
}

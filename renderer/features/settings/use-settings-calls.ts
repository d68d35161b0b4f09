import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { GatewayConnection } from '#shared/contract/gateway.ts';
import { useApi } from '../../lib/api.ts';
import { askAgainAfter } from '../../lib/ask-again.ts';

/** What the settings may ask of the core beside the settings themselves. Answers replace what is shown at once. */

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

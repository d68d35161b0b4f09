import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ToolTransportInput } from '#shared/contract/app/tools.ts';
import { useApi, useOrpc } from '../../../api/api.ts';

export interface ServerEntry {
  /** Null: a new server. */
  readonly id: string | null;
  readonly name: string;
  readonly transport: ToolTransportInput;
}

export function useTools() {
  return useQuery(useOrpc().tools.list.queryOptions());
}

/** Each call resolves after the refetch, so that the old state doesn't flicker back. */
export function useToolCalls() {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = useOrpc().tools.list.queryKey();
  const onSettled = () => queries.invalidateQueries({ queryKey });
  return {
    enableBuiltIn: useMutation({
      mutationFn: (entry: { name: string; enabled: boolean }) => api.tools.enableBuiltIn(entry),
      onSettled,
    }),
    save: useMutation({
      mutationFn: ({ id, ...entry }: ServerEntry) =>
        id === null ? api.tools.addServer(entry) : api.tools.changeServer({ id, ...entry }),
      onSettled,
      // The input contains secrets, which must not stay in the cache.
      gcTime: 0,
    }),
    test: useMutation({
      mutationFn: ({ id, signal }: { id: string; signal: AbortSignal }) => api.tools.testServer({ id }, { signal }),
      onSettled,
    }),
    disallow: useMutation({ mutationFn: (id: string) => api.tools.disallowServer({ id }), onSettled }),
    enable: useMutation({
      mutationFn: (entry: { id: string; enabled: boolean; fingerprint: string }) => api.tools.enableServer(entry),
      onSettled,
    }),
    remove: useMutation({ mutationFn: (id: string) => api.tools.removeServer({ id }), onSettled }),
    import: useMutation({ mutationFn: (json: string) => api.tools.importServers({ json }), onSettled, gcTime: 0 }),
    forget: useMutation({ mutationFn: (id: string) => api.tools.forget({ id }), onSettled }),
  };
}

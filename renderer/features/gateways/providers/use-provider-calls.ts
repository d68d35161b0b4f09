import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Provider, SavedServer, ServerModel } from '#shared/contract/app/providers.ts';
import { useApi, useOrpc } from '../../../api/api.ts';

/** Calls about providers. Their results replace the cached query at once. */
export function useProviderCalls() {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = useOrpc().providers.list.queryKey();
  const write = (change: (list: Provider[]) => Provider[]) =>
    queries.setQueryData(queryKey, (list: Provider[] | undefined) => list && change(list));
  const onSuccess = (changed: Provider) =>
    write((list) =>
      list.some(({ id }) => id === changed.id)
        ? list.map((entry) => (entry.id === changed.id ? changed : entry))
        : [...list, changed],
    );
  // A key must not stay in the cache longer than its call.
  const forgetful = { onSuccess, gcTime: 0 };
  return {
    setKey: useMutation({
      mutationFn: (entry: { id: string; key: string | null; baseUrl: string | null }) => api.providers.setKey(entry),
      ...forgetful,
    }),
    addKey: useMutation({
      mutationFn: (entry: { id: string; label: string; key: string }) => api.providers.addKey(entry),
      ...forgetful,
    }),
    saveServer: useMutation({ mutationFn: (server: SavedServer) => api.providers.saveServer(server), ...forgetful }),
    orderKeys: useMutation({
      mutationFn: (entry: { id: string; keyIds: string[] }) => api.providers.orderKeys(entry),
      onSuccess,
    }),
    nameModels: useMutation({
      mutationFn: (entry: { id: string; models: ServerModel[] }) => api.providers.nameModels(entry),
      onSuccess,
    }),
    check: useMutation({ mutationFn: (id: string) => api.providers.check({ id }), onSuccess }),
    remove: useMutation({
      mutationFn: (entry: { id: string; keyId?: string }) => api.providers.removeKey(entry),
      onSuccess: (changed, { id }) => {
        if (changed) onSuccess(changed);
        else write((list) => list.filter((entry) => entry.id !== id));
      },
    }),
  };
}

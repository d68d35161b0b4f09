import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Settings } from '#shared/contract/settings.ts';
import { useApi } from './api.ts';
import { askAgainAfter } from './ask-again.ts';
import { keep } from './kept.ts';

/** What more than one feature reads from the core. The first part of each key is the topic that makes it old. */

export function useSettings() {
  const api = useApi();
  return useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => api.settings.get(undefined, { signal }) });
}

/** Saves on change: what is shown changes at once and goes back if it could not be saved. */
export function useUpdateSettings() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: Partial<Settings>) => api.settings.update(change),
    onMutate: async (change) => {
      await queries.cancelQueries({ queryKey: ['settings'] });
      const before = queries.getQueryData<Settings>(['settings']);
      if (before) queries.setQueryData<Settings>(['settings'], { ...before, ...change });
      return { before };
    },
    onError: (_error, _change, context) => queries.setQueryData(['settings'], context?.before),
    onSuccess: (saved) => {
      queries.setQueryData(['settings'], saved);
      keep({ theme: saved.theme, density: saved.density });
    },
  });
}

export function useModels() {
  const api = useApi();
  return useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => api.models.list(undefined, { signal }),
    refetchInterval: ({ state }) => askAgainAfter(state.data?.retryAfterMs ?? null),
    placeholderData: keepPreviousData,
  });
}

export function useConversations() {
  const api = useApi();
  return useQuery({
    queryKey: ['conversations'],
    queryFn: ({ signal }) => api.conversations.list({ limit: 500 }, { signal }),
  });
}

export function useWallets() {
  const api = useApi();
  return useQuery({
    queryKey: ['money', 'wallets'],
    queryFn: ({ signal }) => api.account.wallets(undefined, { signal }),
  });
}

export function useAppInfo() {
  const api = useApi();
  return useQuery({ queryKey: ['app'], queryFn: ({ signal }) => api.app.info(undefined, { signal }) });
}

export function useProviders() {
  const api = useApi();
  return useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => api.providers.list(undefined, { signal }),
    // How a key does is found out by using it, and nobody tells.
    refetchOnMount: 'always',
  });
}

/** Opens a link outside the app, past the core's guard. */
export function useOpenLink() {
  const api = useApi();
  return useMutation({ mutationFn: (url: string) => api.app.openLink({ url }) });
}

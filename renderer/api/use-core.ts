import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Settings } from '#shared/contract/app/settings.ts';
import { useApi, useOrpc } from './api.ts';
import { askAgainAfter } from './ask-again.ts';

export function useSettings() {
  return useQuery(useOrpc().settings.get.queryOptions());
}

/** Saves each change at once, optimistically: the old value is restored when saving fails. */
export function useUpdateSettings() {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = useOrpc().settings.get.queryKey();
  return useMutation({
    mutationFn: (change: Partial<Settings>) => api.settings.update(change),
    onMutate: async (change) => {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData(queryKey);
      if (before) queries.setQueryData(queryKey, { ...before, ...change });
      return { before };
    },
    onError: (_error, _change, context) => queries.setQueryData(queryKey, context?.before),
    onSuccess: (saved) => queries.setQueryData(queryKey, saved),
  });
}

export function useModels() {
  return useQuery(
    useOrpc().models.list.queryOptions({
      refetchInterval: ({ state }) => askAgainAfter(state.data?.retryAfterMs ?? null),
      placeholderData: keepPreviousData,
    }),
  );
}

export function useConversations() {
  return useQuery(useOrpc().conversations.list.queryOptions({ input: { limit: 500 } }));
}

/**
 * Query options for figures of the ledger. They are refetched when the window gets the focus, because this window may
 * not have been notified of a change that another client made.
 */
export const refetchOnFocus = { refetchOnWindowFocus: 'always' } as const;

export function useBillingAccounts() {
  return useQuery(useOrpc().account.wallets.queryOptions(refetchOnFocus));
}

/** Returns the billing account that pays for a message to this model; undefined until the core has answered. */
export function usePayer(model: string) {
  const { models } = useOrpc();
  const payer = useQuery(models.payer.queryOptions({ input: { model }, placeholderData: keepPreviousData })).data;
  const billingAccounts = useBillingAccounts().data ?? [];
  return payer && billingAccounts.find(({ id }) => id === payer.billingAccount);
}

/**
 * Returns the provider of the own key that is sent along to another gateway for this model, or null if none is sent.
 */
export function useOwnKey(model: string): string | null {
  const { models } = useOrpc();
  const options = models.payer.queryOptions({ input: { model }, placeholderData: keepPreviousData });
  return useQuery(options).data?.ownKey ?? null;
}

export function useAppInfo() {
  return useQuery(useOrpc().app.info.queryOptions());
}

export function useProviders() {
  // A key proves to be valid or invalid when it is used, and no topic announces that.
  return useQuery(useOrpc().providers.list.queryOptions({ refetchOnMount: 'always' }));
}

/** Opens a link in the system’s browser, after the core has checked it. */
export function useOpenLink() {
  const api = useApi();
  return useMutation({ mutationFn: (url: string) => api.app.openLink({ url }) });
}

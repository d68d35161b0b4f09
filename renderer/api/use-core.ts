import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Settings } from '#shared/contract/app/settings.ts';
import { useApi, useOrpc } from './api.ts';
import { askAgainAfter } from './ask-again.ts';

/** Queries that several features share. */

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

/** Figures of the books: also read again when the window is looked at, in case a change of somebody else was not heard of. */
export const refetchOnFocus = { refetchOnWindowFocus: 'always' } as const;

export function useBillingAccounts() {
  return useQuery(useOrpc().account.wallets.queryOptions(refetchOnFocus));
}

/** The wallet that pays for a message to this model; none until the core has said so. */
export function usePayer(model: string) {
  const { models } = useOrpc();
  const payer = useQuery(models.payer.queryOptions({ input: { model }, placeholderData: keepPreviousData })).data;
  const billingAccounts = useBillingAccounts().data ?? [];
  return payer && billingAccounts.find(({ id }) => id === payer.billingAccount);
}

/** The provider whose key of the person’s own a gateway elsewhere is given for this model; null: none. */
export function useOwnKey(model: string): string | null {
  const { models } = useOrpc();
  const options = models.payer.queryOptions({ input: { model }, placeholderData: keepPreviousData });
  return useQuery(options).data?.ownKey ?? null;
}

export function useAppInfo() {
  return useQuery(useOrpc().app.info.queryOptions());
}

export function useProviders() {
  // Whether a key works shows when it is used, and no topic announces that.
  return useQuery(useOrpc().providers.list.queryOptions({ refetchOnMount: 'always' }));
}

/** Opens a link in the system’s browser, after the core has checked it. */
export function useOpenLink() {
  const api = useApi();
  return useMutation({ mutationFn: (url: string) => api.app.openLink({ url }) });
}

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { useOrpc } from './api.ts';
import { askAgainAfter } from './ask-again.ts';
import { refetchOnFocus } from './use-core.ts';

/** Every model that is listed or has a known price, with or without a key. */
export function useCatalogue() {
  return useQuery(
    useOrpc().catalogue.list.queryOptions({
      refetchInterval: ({ state }) => askAgainAfter(state.data?.retryAfterMs ?? null),
      placeholderData: keepPreviousData,
    }),
  );
}

export function usePriceHistory(model: string) {
  return useQuery(useOrpc().catalogue.history.queryOptions({ input: { model } }));
}

/** The account's own usage of a model. */
export function useOwnUse(model: string) {
  return useQuery(useOrpc().whatIf.use.queryOptions({ input: { model }, ...refetchOnFocus }));
}

/** The average request of a billing account. With null, nothing is fetched. */
export function useMix(billingAccount: BillingAccount | null) {
  return useQuery(
    useOrpc().whatIf.mix.queryOptions({
      input: { billingAccount: billingAccount ?? 'main' },
      enabled: billingAccount !== null,
      ...refetchOnFocus,
    }),
  );
}

/** What a chat requires of a model that would continue it. Without a chat, nothing is fetched. */
export function useChatNeeds(conversationId: string | null) {
  return useQuery(
    useOrpc().catalogue.fits.queryOptions({
      input: { conversationId: conversationId ?? '-' },
      enabled: conversationId !== null,
    }),
  );
}

/** Returns the id of the chat that was open last, or null. */
export function useLastChat(): string | null {
  return useQuery(useOrpc().conversations.lastOpened.queryOptions({ refetchOnMount: 'always' })).data?.id ?? null;
}

/** What the user's own requests of a period would have cost on other models. */
export function useWhatIf(
  billingAccount: BillingAccount,
  range: { readonly start: number; readonly end: number },
  models: readonly string[],
) {
  return useQuery(
    useOrpc().whatIf.reprice.queryOptions({
      input: { billingAccount, ...range, models: [...models] },
      enabled: models.length > 0,
      placeholderData: keepPreviousData,
      ...refetchOnFocus,
    }),
  );
}

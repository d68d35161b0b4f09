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

/** What the account used of a model. */
export function useOwnUse(model: string) {
  return useQuery(useOrpc().whatIf.use.queryOptions({ input: { model }, ...refetchOnFocus }));
}

/** The average request of a wallet. */
export function useMix(billingAccount: BillingAccount | null) {
  return useQuery(
    useOrpc().whatIf.mix.queryOptions({
      input: { billingAccount: billingAccount ?? 'main' },
      enabled: billingAccount !== null,
      ...refetchOnFocus,
    }),
  );
}

/** What a chat asks of a model; nothing is asked without a chat. */
export function useChatNeeds(conversationId: string | null) {
  return useQuery(
    useOrpc().catalogue.fits.queryOptions({
      input: { conversationId: conversationId ?? '-' },
      enabled: conversationId !== null,
    }),
  );
}

/** The chat that was open last; null: none. */
export function useLastChat(): string | null {
  return useQuery(useOrpc().conversations.lastOpened.queryOptions({ refetchOnMount: 'always' })).data?.id ?? null;
}

/** A period of one's own requests priced on other models. */
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

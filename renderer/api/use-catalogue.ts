import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useOrpc } from './api.ts';
import { askAgainAfter } from './ask-again.ts';
import { ofTheBooks } from './use-core.ts';

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
  return useQuery(useOrpc().whatIf.use.queryOptions({ input: { model }, ...ofTheBooks }));
}

/** The average request of a wallet. */
export function useMix(wallet: Wallet | null) {
  return useQuery(
    useOrpc().whatIf.mix.queryOptions({ input: { wallet: wallet ?? 'main' }, enabled: wallet !== null, ...ofTheBooks }),
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
  wallet: Wallet,
  range: { readonly start: number; readonly end: number },
  models: readonly string[],
) {
  return useQuery(
    useOrpc().whatIf.reprice.queryOptions({
      input: { wallet, ...range, models: [...models] },
      enabled: models.length > 0,
      placeholderData: keepPreviousData,
      ...ofTheBooks,
    }),
  );
}

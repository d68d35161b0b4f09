import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { useOrpc } from './api.ts';
import { refetchOnFocus, useBillingAccounts, usePayer, useSettings, useUpdateSettings } from './use-core.ts';

/**
 * The billing account that the pages about money show: the one chosen there, or else the one that pays for new chats.
 * Accounts that were never used are not offered.
 */
export function useBillingAccount() {
  const query = useBillingAccounts();
  const settings = useSettings().data;
  const update = useUpdateSettings();
  const payer = usePayer(settings?.model ?? 'router');
  const billingAccounts = query.data?.filter(({ used, id }) => used || id === payer?.id) ?? [];
  // Choosing the account that pays clears the choice, so the pages follow when another account pays later.
  const choose = (billingAccount: BillingAccount) =>
    update.mutate({ shownWallet: billingAccount === payer?.id ? null : billingAccount });
  return {
    billingAccounts,
    query,
    billingAccount: billingAccounts.find(({ id }) => id === settings?.shownWallet) ?? payer,
    choose,
  };
}

/** Returns a function that refetches all figures of the ledger, and whether they are being fetched. */
export function useLedger() {
  const { account, credits, usage } = useOrpc();
  const queries = useQueryClient();
  const reading =
    useIsFetching({ queryKey: account.key() }) +
    useIsFetching({ queryKey: credits.key() }) +
    useIsFetching({ queryKey: usage.key() });
  return {
    reading: reading > 0,
    readAgain() {
      for (const area of [account, credits, usage]) void queries.invalidateQueries({ queryKey: area.key() });
    },
  };
}

/** How long the balance of a billing account will last. With null, nothing is fetched. */
export function useOutlook(billingAccount: BillingAccount | null) {
  const { funds } = useOrpc();
  const options = funds.outlook.queryOptions({
    input: { billingAccount: billingAccount ?? 'main' },
    ...refetchOnFocus,
  });
  return useQuery({ ...options, enabled: billingAccount !== null });
}

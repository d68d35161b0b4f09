import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { useBillingAccounts, usePayer, useSettings, useUpdateSettings } from './use-core.ts';

/**
 * The wallet that the pages about money show: the one chosen there, which is kept, else the one that pays for new chats.
 * Unused ones are not offered.
 */
export function useBillingAccount() {
  const query = useBillingAccounts();
  const settings = useSettings().data;
  const update = useUpdateSettings();
  const payer = usePayer(settings?.model ?? 'router');
  const billingAccounts = query.data?.filter(({ used, id }) => used || id === payer?.id) ?? [];
  // Who chooses the one that pays follows it.
  const choose = (billingAccount: BillingAccount) =>
    update.mutate({ shownWallet: billingAccount === payer?.id ? null : billingAccount });
  return {
    billingAccounts,
    query,
    billingAccount: billingAccounts.find(({ id }) => id === settings?.shownWallet) ?? payer,
    choose,
  };
}

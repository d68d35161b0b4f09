import { useQuery } from '@tanstack/react-query';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { useOrpc } from './api.ts';
import { refetchOnFocus } from './use-core.ts';

/** How long the balance of a wallet lasts. Null: of none. */
export function useOutlook(billingAccount: BillingAccount | null) {
  const { funds } = useOrpc();
  const options = funds.outlook.queryOptions({
    input: { billingAccount: billingAccount ?? 'main' },
    ...refetchOnFocus,
  });
  return useQuery({ ...options, enabled: billingAccount !== null });
}

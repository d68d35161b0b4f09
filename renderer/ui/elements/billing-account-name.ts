import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import { text } from '../../text/ui-text.ts';

/** Returns a billing account’s display name. An account of a remote gateway has its own. */
export const billingAccountName = ({
  name,
  simulated,
  billing,
}: Pick<BillingAccountBalance, 'name' | 'simulated' | 'billing'>): string => {
  if (simulated) return text.testCredits;
  return billing === 'meter_only' ? text.ownKeys : name;
};

import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import { text } from '../../text/ui-text.ts';

/** A wallet’s display name; a gateway’s account has its own. */
export const billingAccountName = ({
  name,
  simulated,
  billing,
}: Pick<BillingAccountBalance, 'name' | 'simulated' | 'billing'>): string => {
  if (simulated) return text.testCredits;
  return billing === 'meter_only' ? text.ownKeys : name;
};

import type { WalletBalance } from '#shared/contract/app/wallets.ts';
import { text } from '../../text/ui-text.ts';

/** A wallet’s display name; a gateway’s account has its own. */
export const walletName = ({
  name,
  simulated,
  billing,
}: Pick<WalletBalance, 'name' | 'simulated' | 'billing'>): string => {
  if (simulated) return text.testCredits;
  return billing === 'meter_only' ? text.ownKeys : name;
};

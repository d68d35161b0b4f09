import type { WalletBalance } from '#shared/contract/app/wallets.ts';
import { text } from '../../text/ui-text.ts';

/** Which account pays, as people call it: that of a gateway has its own name. */
export const walletName = ({
  name,
  simulated,
  billing,
}: Pick<WalletBalance, 'name' | 'simulated' | 'billing'>): string => {
  if (simulated) return text.testCredits;
  return billing === 'meter_only' ? text.ownKeys : name;
};

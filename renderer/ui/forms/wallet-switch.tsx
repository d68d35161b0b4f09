import type { WalletBalance } from '#shared/contract/app/wallets.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { walletName } from '../elements/wallet-name.ts';
import { Segmented } from './segmented.tsx';

interface WalletSwitchProps {
  label: string;
  wallets: readonly WalletBalance[];
  value: Wallet;
  onChange: (wallet: Wallet) => void;
}

/** Chooses the wallet to show, where there are two. */
export function WalletSwitch({ label, wallets, value, onChange }: WalletSwitchProps) {
  if (wallets.length < 2) return null;
  return (
    <Segmented
      label={label}
      value={value}
      options={wallets.map((wallet) => ({ value: wallet.id, label: walletName(wallet) }))}
      onChange={onChange}
    />
  );
}

import type { WalletBalance } from '#shared/contract/account.ts';
import type { Wallet } from '#shared/contract/fields.ts';
import type { Model } from '#shared/wire/model.ts';

/** Who pays for a message to this model: the sandbox's test credits for simulated answers, else the user's account. */
export function payerOf(modelId: string, models: readonly Model[]): Wallet {
  const model = models.find((entry) => entry.id === modelId);
  if (model?.kind === 'router' || modelId === 'router') {
    const real = models.some((entry) => entry.kind === 'chat' && entry.status === 'available' && !entry.simulated);
    return real ? 'main' : 'sandbox';
  }
  return model?.simulated ? 'sandbox' : 'main';
}

export const walletNamed = (wallets: readonly WalletBalance[], id: Wallet): WalletBalance | undefined =>
  wallets.find((wallet) => wallet.id === id) ?? wallets[0];

/** A prepaid wallet has money left; a metered one can only say what was spent. */
export const amountOf = (wallet: WalletBalance): string =>
  wallet.billing === 'meter_only' ? wallet.balance.total_used : wallet.balance.amount;

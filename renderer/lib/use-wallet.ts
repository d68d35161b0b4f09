import { useState } from 'react';
import type { Wallet } from '#shared/contract/fields.ts';
import { payerOf, walletNamed } from './payer.ts';
import { useModels, useSettings, useWallets } from './use-core.ts';

/** The wallet a money page looks at: the one chosen there, else the one that pays for new chats. */
export function useWallet() {
  const wallets = useWallets();
  const settings = useSettings();
  const models = useModels();
  const [chosen, choose] = useState<Wallet | null>(null);
  const list = wallets.data ?? [];
  const payer = payerOf(settings.data?.model ?? 'router', models.data?.models ?? []);
  const wallet = walletNamed(list, chosen ?? payer);
  return { wallets: list, query: wallets, wallet, choose };
}

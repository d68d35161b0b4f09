import { useState } from 'react';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { usePayer, useSettings, useWallets } from './use-core.ts';

/** The wallet that a page about money shows: the one chosen there, else the one that pays for new chats. */
export function useWallet() {
  const query = useWallets();
  const payer = usePayer(useSettings().data?.model ?? 'router');
  const [chosen, choose] = useState<Wallet | null>(null);
  const wallets = query.data ?? [];
  return { wallets, query, wallet: wallets.find(({ id }) => id === chosen) ?? payer, choose };
}

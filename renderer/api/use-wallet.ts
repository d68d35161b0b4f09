import { create } from 'zustand';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { usePayer, useSettings, useWallets } from './use-core.ts';

/** The wallet that was chosen on a page about money: all of them show it, as long as this window is open. */
const useChosen = create<{ wallet: Wallet | null }>()(() => ({ wallet: null }));
const choose = (wallet: Wallet): void => useChosen.setState({ wallet });

/** The wallet that the pages about money show: the one chosen there, else the one that pays for new chats. Unused ones are not offered. */
export function useWallet() {
  const query = useWallets();
  const payer = usePayer(useSettings().data?.model ?? 'router');
  const chosen = useChosen(({ wallet }) => wallet);
  const wallets = query.data?.filter(({ used, id }) => used || id === payer?.id) ?? [];
  return { wallets, query, wallet: wallets.find(({ id }) => id === chosen) ?? payer, choose };
}

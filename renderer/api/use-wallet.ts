import type { Wallet } from '#shared/contract/common/fields.ts';
import { usePayer, useSettings, useUpdateSettings, useWallets } from './use-core.ts';

/**
 * The wallet that the pages about money show: the one chosen there, which is kept, else the one that pays for new chats.
 * Unused ones are not offered.
 */
export function useWallet() {
  const query = useWallets();
  const settings = useSettings().data;
  const update = useUpdateSettings();
  const payer = usePayer(settings?.model ?? 'router');
  const wallets = query.data?.filter(({ used, id }) => used || id === payer?.id) ?? [];
  // Who chooses the one that pays follows it.
  const choose = (wallet: Wallet) => update.mutate({ shownWallet: wallet === payer?.id ? null : wallet });
  return { wallets, query, wallet: wallets.find(({ id }) => id === settings?.shownWallet) ?? payer, choose };
}

import type { ReactNode } from 'react';
import type { WalletBalance } from '#shared/contract/app/wallets.ts';
import { useWallet } from '../api/use-wallet.ts';
import { classNames } from '../ui/elements/class-names.ts';
import { PageBody } from '../ui/elements/page-body.tsx';
import { WalletSwitch } from '../ui/forms/wallet-switch.tsx';
import { Failure } from '../ui/notices/failure.tsx';
import { Stale } from '../ui/notices/stale.tsx';
import { Freshness } from './freshness.tsx';
import { GatewaySwitch } from './gateway-switch.tsx';
import { PageHeader } from './page-header.tsx';

interface WalletPageProps {
  title: string;
  /** Tables and charts need more width than text. */
  wide?: boolean;
  walletLabel: string;
  failed: string;
  /** Beside the wallet switch. */
  controls?: ReactNode;
  /** Shown while the wallets are read. */
  loading: ReactNode;
  children: (wallet: WalletBalance) => ReactNode;
}

/** A page about one wallet, with a switch where there are several. */
export function WalletPage({ title, wide, walletLabel, failed, controls, loading, children }: WalletPageProps) {
  const { wallets, query, wallet, choose } = useWallet();
  return (
    <>
      <PageHeader title={title}>
        <Freshness readAt={query.dataUpdatedAt} />
      </PageHeader>
      <PageBody label={title}>
        <div className={classNames('mx-auto', wide ? 'max-w-[936px]' : 'max-w-[760px]')}>
          <div className="flex flex-wrap items-center gap-2 not-empty:py-2">
            {controls}
            <GatewaySwitch />
            {wallet && <WalletSwitch label={walletLabel} wallets={wallets} value={wallet.id} onChange={choose} />}
          </div>
          {wallet && <Stale error={query.error} readAt={query.dataUpdatedAt} />}
          {wallet ? (
            children(wallet)
          ) : query.isError ? (
            <Failure title={failed} error={query.error} onRetry={() => void query.refetch()} />
          ) : (
            loading
          )}
        </div>
      </PageBody>
    </>
  );
}

import type { ReactNode } from 'react';
import type { WalletBalance } from '#shared/contract/app/wallets.ts';
import { useWallet } from '../api/use-wallet.ts';
import { classNames } from '../ui/elements/class-names.ts';
import { PageBody } from '../ui/elements/page-body.tsx';
import { WalletSwitch } from '../ui/forms/wallet-switch.tsx';
import { Failure } from '../ui/notices/failure.tsx';
import { Stale } from '../ui/notices/stale.tsx';
import { PageHeader } from './page-header.tsx';

interface WalletPageProps {
  title: string;
  /** For tables and charts, which want more room than lines of text. */
  wide?: boolean;
  walletLabel: string;
  failed: string;
  /** Stands beside the choice of the wallet. */
  controls?: ReactNode;
  /** Stands while the wallets are read. */
  loading: ReactNode;
  /** What the page shows of the chosen wallet. */
  children: (wallet: WalletBalance) => ReactNode;
}

/** A page about the money of one wallet. Which one is chosen in it where there are several. */
export function WalletPage({ title, wide, walletLabel, failed, controls, loading, children }: WalletPageProps) {
  const { wallets, query, wallet, choose } = useWallet();
  return (
    <>
      <PageHeader title={title} />
      <PageBody label={title}>
        <div className={classNames('mx-auto', wide ? 'max-w-[936px]' : 'max-w-[760px]')}>
          <div className="flex flex-wrap items-center gap-2 not-empty:py-2">
            {controls}
            {wallet && <WalletSwitch label={walletLabel} wallets={wallets} value={wallet.id} onChange={choose} />}
          </div>
          {wallet && <Stale error={query.error} />}
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

import type { ReactNode } from 'react';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import { useBillingAccount } from '../api/use-billing-account.ts';
import { classNames } from '../ui/elements/class-names.ts';
import { PageBody } from '../ui/elements/page-body.tsx';
import { BillingAccountSwitch } from '../ui/forms/billing-account-switch.tsx';
import { Failure } from '../ui/notices/failure.tsx';
import { Stale } from '../ui/notices/stale.tsx';
import { Freshness } from './freshness.tsx';
import { GatewaySwitch } from './gateway-switch.tsx';
import { PageHeader } from './page-header.tsx';

interface BillingAccountPageProps {
  title: string;
  /** Tables and charts need more width than text. */
  wide?: boolean;
  billingAccountLabel: string;
  failed: string;
  /** Beside the wallet switch. */
  controls?: ReactNode;
  /** Shown while the wallets are read. */
  loading: ReactNode;
  children: (billingAccount: BillingAccountBalance) => ReactNode;
}

/** A page about one wallet, with a switch where there are several. */
export function BillingAccountPage({
  title,
  wide,
  billingAccountLabel,
  failed,
  controls,
  loading,
  children,
}: BillingAccountPageProps) {
  const { billingAccounts, query, billingAccount, choose } = useBillingAccount();
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
            {billingAccount && (
              <BillingAccountSwitch
                label={billingAccountLabel}
                billingAccounts={billingAccounts}
                value={billingAccount.id}
                onChange={choose}
              />
            )}
          </div>
          {billingAccount && <Stale error={query.error} readAt={query.dataUpdatedAt} />}
          {billingAccount ? (
            children(billingAccount)
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

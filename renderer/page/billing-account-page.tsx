import { Check, ChevronDown, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { useBillingAccount, useLedger } from '../api/use-billing-account.ts';
import { useGatewayAccountCalls, useGatewayAccounts } from '../api/use-gateway-accounts.ts';
import { useNav } from '../navigation/nav.ts';
import { connectionText as words } from '../text/connection-text.ts';
import { formatClock } from '../text/format.ts';
import { text } from '../text/shell-text.ts';
import { Menu, MenuItem } from '../ui/dialogs/menu.tsx';
import { billingAccountName } from '../ui/elements/billing-account-name.ts';
import { Button } from '../ui/elements/button.tsx';
import { classNames } from '../ui/elements/class-names.ts';
import { IconButton } from '../ui/elements/icon-button.tsx';
import { PageBody } from '../ui/elements/page-body.tsx';
import { Segmented } from '../ui/forms/segmented.tsx';
import { Failure } from '../ui/notices/failure.tsx';
import { Stale } from '../ui/notices/stale.tsx';
import { useNotify } from '../ui/notices/use-notify.ts';
import { PageHeader } from './page-header.tsx';

interface BillingAccountPageProps {
  title: string;
  /** Tables and charts need more width than text. */
  wide?: boolean;
  billingAccountLabel: string;
  failed: string;
  /** Controls next to the account switch. */
  controls?: ReactNode;
  /** Shown while the billing accounts are loading. */
  loading: ReactNode;
  children: (billingAccount: BillingAccountBalance) => ReactNode;
}

/** A page about one billing account, with a switch if there are several. */
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
          {billingAccount && <Stale error={query.error} />}
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

/** Shows how old the figures of a page are, and a button that reads them again. */
function Freshness({ readAt }: { readAt: number }) {
  const { reading, readAgain } = useLedger();
  return (
    <>
      {readAt > 0 && (
        <span className="text-fg-3 text-xs tabular-nums max-sm:hidden">{text.asOf(formatClock(readAt))}</span>
      )}
      <IconButton
        icon={RefreshCw}
        label={text.refresh}
        aria-busy={reading}
        className="aria-busy:[&_svg]:animate-spin motion-reduce:[&_svg]:animate-none!"
        onClick={readAgain}
      />
    </>
  );
}

interface BillingAccountSwitchProps {
  label: string;
  billingAccounts: readonly BillingAccountBalance[];
  value: BillingAccount;
  onChange: (billingAccount: BillingAccount) => void;
}

/** Chooses the billing account to show, if there are two. */
function BillingAccountSwitch({ label, billingAccounts, value, onChange }: BillingAccountSwitchProps) {
  if (billingAccounts.length < 2) return null;
  return (
    <Segmented
      label={label}
      value={value}
      options={billingAccounts.map((billingAccount) => ({
        value: billingAccount.id,
        label: billingAccountName(billingAccount),
      }))}
      onChange={onChange}
    />
  );
}

/** Chooses the gateway that answers and pays. Shows nothing if there is only the built-in one. */
function GatewaySwitch() {
  const { accounts = [], active = null } = useGatewayAccounts().data ?? {};
  const { use } = useGatewayAccountCalls();
  const { failed } = useNotify();
  if (accounts.length === 0) return null;
  const choices = [{ id: null, name: words.builtIn }, ...accounts];
  const current = choices.find(({ id }) => id === active)?.name ?? words.builtIn;
  const choose = (id: string | null) => {
    if (id !== active) use.mutate(id, { onError: (error) => failed(words.notUsed, error) });
  };
  return (
    <Menu
      trigger={
        <Button disabled={use.isPending}>
          <span className="max-w-52 truncate">{words.paysNow(current)}</span>
          <ChevronDown size={14} aria-hidden />
        </Button>
      }
    >
      {choices.map(({ id, name }) => (
        <MenuItem key={id ?? ''} onClick={() => choose(id)}>
          <span className="w-4">{id === active && <Check size={14} aria-label={words.inUse} />}</span>
          <span className="max-w-72 truncate">{name}</span>
        </MenuItem>
      ))}
      <MenuItem onClick={() => useNav.getState().go({ page: 'settings', section: 'gateway' })}>
        <span className="w-4" />
        {words.manage}
      </MenuItem>
    </Menu>
  );
}

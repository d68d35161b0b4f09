import type { WalletBalance } from '#shared/contract/app/wallets.ts';
import { useGatewayAccounts } from '../../api/use-gateway-accounts.ts';
import { useOutlook } from '../../api/use-outlook.ts';
import { text } from '../../text/credits-text.ts';
import { roundUsd } from '../../text/format.ts';
import { Notice } from '../../ui/notices/notice.tsx';

/** How long the balance lasts, and how that is known; what to do where it is low. */
export function OutlookLine({ wallet }: { wallet: WalletBalance }) {
  const outlook = useOutlook(wallet.id).data;
  if (!outlook || wallet.billing === 'meter_only') return null;
  const { messagesLeft, daysLeft, basis, low } = outlook;
  return (
    <>
      <p className="mt-1 text-fg-2">
        {messagesLeft === null || basis === null ? (
          text.outlookUnknown
        ) : (
          <>
            <span className="text-fg">{text.lasts(messagesLeft, daysLeft)}</span>{' '}
            <span className="text-fg-3 text-xs">
              {text.lastsBy(basis.requests, basis.days, roundUsd(basis.costUsd))}
            </span>
          </>
        )}
      </p>
      {low && (
        <div className="mt-3">
          <Notice tone="warn">
            {text.low} <TopUp wallet={wallet} />
          </Notice>
        </div>
      )}
    </>
  );
}

/** What brings more credits: the interface of gateways names no page for that, so who runs it does. */
export function TopUp({ wallet }: { wallet: WalletBalance }) {
  const { accounts = [], active = null } = useGatewayAccounts().data ?? {};
  const account = accounts.find(({ id }) => id === active);
  if (wallet.simulated) return <>{text.topUpTest}</>;
  return <>{account ? text.topUpAt(new URL(account.baseUrl).host) : text.topUpOwn}</>;
}

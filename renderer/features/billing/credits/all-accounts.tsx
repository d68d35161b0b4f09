import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import type { GatewayAccount } from '#shared/contract/app/gateway-accounts.ts';
import { useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { connectionText } from '../../../text/connection-text.ts';
import { text } from '../../../text/credits-text.ts';
import { describeError } from '../../../text/error-text.ts';
import { formatClock } from '../../../text/format.ts';
import { Badge } from '../../../ui/elements/badge.tsx';
import { billingAccountName } from '../../../ui/elements/billing-account-name.ts';
import { Money } from '../../../ui/elements/money.tsx';
import { OtherAmount } from '../../../ui/elements/other-amount.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { useFunds } from './use-credits.ts';

/** What every account has, each with the time of which that is known. Nothing where there is only the built-in gateway. */
export function AllAccounts() {
  const gateways = useGatewayAccounts().data;
  if (!gateways || gateways.accounts.length === 0) return null;
  return <Accounts accounts={gateways.accounts} active={gateways.active} />;
}

function Accounts({ accounts, active }: { accounts: readonly GatewayAccount[]; active: string | null }) {
  const ids = ['main', 'sandbox', ...accounts.map(({ id }) => id)];
  const found = useFunds(ids);
  const { all } = text;
  return (
    <section className="mt-8">
      <h2 className="mb-1 font-semibold text-md">{all.title}</h2>
      <Table
        label={all.title}
        columns={[{ name: all.account }, { name: all.balance, amount: true }, { name: all.asOf, amount: true }]}
      >
        {ids.map((id, at) => {
          const account = accounts.find((each) => each.id === id);
          const { data, error, dataUpdatedAt } = found[at] ?? {};
          if (data && !data.used) return null;
          return (
            <tr key={id}>
              <td className={`${tableCell} w-full max-w-0 truncate`}>
                {account?.name ?? (data ? billingAccountName(data) : '…')}{' '}
                <span className="text-fg-3">{account ? new URL(account.baseUrl).host : connectionText.builtIn}</span>{' '}
                {(active ?? 'none') === id && <Badge tone="ok">{connectionText.inUse}</Badge>}
              </td>
              <td className={`${tableCell} text-right`}>{data ? <Sum billingAccount={data} /> : '—'}</td>
              <td className={`${tableCell} text-right text-fg-2`}>
                {error ? (
                  <span className="text-warn" title={describeError(error).sentence}>
                    {data ? all.since(formatClock(dataUpdatedAt ?? 0)) : all.away}
                  </span>
                ) : (
                  data && formatClock(dataUpdatedAt ?? 0)
                )}
              </td>
            </tr>
          );
        })}
      </Table>
    </section>
  );
}

/** Of a prepaid account the rest, of a metered one what was spent. */
function Sum({ billingAccount: { billing, balance, otherBalance } }: { billingAccount: BillingAccountBalance }) {
  if (balance === null && otherBalance) return <OtherAmount amount={otherBalance} />;
  if (balance === null) return <span className="text-fg-3">{text.all.unknown}</span>;
  if (billing !== 'meter_only')
    return (
      <>
        <Money amount={balance.amount} rest />
        {balance.of === 'key' && <span className="text-fg-3"> {text.all.leftOnKey}</span>}
      </>
    );
  return (
    <>
      <Money amount={balance.total_used} /> <span className="text-fg-3">{text.all.spent}</span>
    </>
  );
}

import { Wallet } from 'lucide-react';
import type { BillingAccountBalance, Ledger as Credits, LedgerLine } from '#shared/contract/app/billing-accounts.ts';
import { saveLocalSettings } from '../../../browser/local-settings.ts';
import { BillingAccountPage } from '../../../page/billing-account-page.tsx';
import { text } from '../../../text/credits-text.ts';
import { formatMoment } from '../../../text/format.ts';
import { text as usageText } from '../../../text/usage-text.ts';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { Money, MoneyIn } from '../../../ui/elements/money.tsx';
import { OtherAmount } from '../../../ui/elements/other-amount.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { Empty } from '../../../ui/notices/empty.tsx';
import { NotRead } from '../../../ui/notices/not-read.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { Skeleton } from '../../../ui/notices/skeleton.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { DriftAlarm, ReconciliationLink } from '../reconciliation/drift-alarm.tsx';
import { AllAccounts } from './all-accounts.tsx';
import { BudgetPart } from './budget-part.tsx';
import { LineFilters, useLineFilter } from './line-filters.tsx';
import { OutlookLine } from './outlook-line.tsx';
import { useCredits } from './use-credits.ts';

export function CreditsPage() {
  return (
    <BillingAccountPage
      title={text.title}
      billingAccountLabel={text.billingAccount}
      failed={text.failed}
      loading={<Loading />}
    >
      {(billingAccount) => <Ledger key={billingAccount.id} billingAccount={billingAccount} />}
    </BillingAccountPage>
  );
}

function Ledger({ billingAccount }: { billingAccount: BillingAccountBalance }) {
  const filters = useLineFilter();
  const credits = useCredits(billingAccount.id, filters.filter);
  const [first] = credits.data?.pages ?? [];
  if (credits.isError && !first && billingAccount.otherBalance)
    return (
      <>
        <p className="mt-2 text-fg-2">{text.balance.prepaid}</p>
        <p className="font-semibold text-3xl tracking-[-0.02em] wrap-anywhere">
          <OtherAmount amount={billingAccount.otherBalance} />
        </p>
        <p className="mt-3 text-fg-2">{text.otherUnit}</p>
        <BudgetPart billingAccount={billingAccount.id} />
        <AllAccounts />
      </>
    );
  if (credits.isError && !first)
    return (
      <NotRead
        title={text.failed}
        notReported={text.notReported}
        error={credits.error}
        onRetry={() => void credits.refetch()}
      />
    );
  if (!first) return <Loading />;
  const lines = credits.data?.pages.flatMap((page) => page.transactions.data) ?? [];
  return (
    <>
      <Stale error={credits.error} readAt={credits.dataUpdatedAt} />
      <Summary billingAccount={billingAccount} credits={first} />
      <DriftAlarm />
      {(billingAccount.billing === 'meter_only' || billingAccount.balance === null) && (
        <BudgetPart billingAccount={billingAccount.id} />
      )}
      <AllAccounts />
      <div className="mt-8 mb-1 flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1 font-semibold text-md">{text.transactions}</h2>
        <ReconciliationLink />
      </div>
      {first.transactions.reported !== false && <LineFilters {...filters} />}
      {lines.length === 0 ? (
        <NoLines reported={first.transactions.reported !== false} filtered={filters.isSet} />
      ) : (
        <Lines lines={lines} billingAccount={billingAccount} />
      )}
      {credits.hasNextPage && (
        <div className="mt-4 flex items-center gap-3">
          <Button disabled={credits.isFetchingNextPage} onClick={() => void credits.fetchNextPage()}>
            {credits.isFetchingNextPage ? text.loadingMore : text.more}
          </Button>
          <span className="text-fg-3 text-xs tabular-nums">{text.shown(lines.length)}</span>
        </div>
      )}
    </>
  );
}

function NoLines({ reported, filtered }: { reported: boolean; filtered: boolean }) {
  if (!reported) return <Empty icon={Wallet} title={text.noHistory} />;
  if (filtered) return <Empty icon={Wallet} title={text.noneOfThese} />;
  return (
    <Empty icon={Wallet} title={text.empty}>
      {text.emptyNote}
    </Empty>
  );
}

function Summary({ billingAccount, credits }: { billingAccount: BillingAccountBalance; credits: Credits }) {
  const metered = billingAccount.billing === 'meter_only';
  const ofKey = billingAccount.balance?.of === 'key' ? billingAccount.balance : null;
  const sums: [string, string | null][] = metered
    ? []
    : [
        [text.available, credits.available],
        [text.held, credits.held],
        [text.granted, credits.total_granted],
        [text.used, credits.total_used],
      ];
  const facts = sums.flatMap(([name, amount]) => (amount === null ? [] : [[name, amount] as const]));
  return (
    <>
      <p className="mt-2 text-fg-2">
        {ofKey ? text.accountBalance : text.balance[billingAccount.billing ?? 'prepaid']}
      </p>
      <p className="font-semibold text-3xl tabular-nums tracking-[-0.02em] wrap-anywhere">
        <Money amount={metered ? credits.total_used : credits.balance} rest={!metered} />
      </p>
      {metered && (
        <p className="text-fg-3 text-xs">
          <Link
            to={{ page: 'usage' }}
            onClick={() => saveLocalSettings({ usageGrouping: 'provenance' })}
            className="underline decoration-line underline-offset-2 hover:text-fg"
          >
            {usageText.costSources.byok}
          </Link>
        </p>
      )}
      {ofKey && (
        <p className="mt-1 text-fg-2 tabular-nums">
          <MoneyIn text={text.keyMaySpend} amount={ofKey.amount} />
        </p>
      )}
      <OutlookLine billingAccount={billingAccount} />
      <dl className="mt-3 mb-4 flex flex-wrap gap-x-8 gap-y-2 tabular-nums">
        {facts.map(([name, amount]) => (
          <div key={name}>
            <dt className="text-fg-3 text-xs">{name}</dt>
            <dd>
              <Money amount={amount} rest={name === text.available} />
            </dd>
          </div>
        ))}
      </dl>
      {billingAccount.simulated && <Notice>{text.testCredits}</Notice>}
      {metered && <Notice>{text.metered}</Notice>}
    </>
  );
}

/** What a line is for: the model and the chat, or why credits came or went. Test credits are granted by the app alone, once. */
function Subject({ line, simulated }: { line: LedgerLine; simulated: boolean }) {
  const { name, use, type, description } = line;
  if (name === null)
    return (
      <>
        {type && text.types[type]}{' '}
        <span className="text-fg-3">{simulated && type === 'grant' ? text.opening : description}</span>
      </>
    );
  const chat = use && { page: 'chat' as const, conversationId: use.conversationId };
  return (
    <>
      {type !== null && type !== 'usage' && `${text.types[type]} `}
      {name}{' '}
      {use && chat && (
        <>
          <span className="text-fg-3">{text.uses[use.purpose] ?? text.uses.chat}</span>{' '}
          <Link
            to={use.messageId === null ? chat : { ...chat, messageId: use.messageId }}
            className="text-fg-2 underline decoration-line underline-offset-2 hover:text-fg"
          >
            {use.title}
          </Link>
        </>
      )}
      {!use && <span className="text-fg-3">{text.elsewhere}</span>}
    </>
  );
}

const moment = ({ created }: LedgerLine): string => (created === null ? '—' : formatMoment(created * 1000));

function Lines({ lines, billingAccount }: { lines: readonly LedgerLine[]; billingAccount: BillingAccountBalance }) {
  const { columns } = text;
  // Who pays providers directly has no balance, and so none after a line.
  const hasBalance = billingAccount.billing !== 'meter_only';
  return (
    <Table
      label={text.transactions}
      columns={[
        { name: columns.date, wideOnly: true },
        { name: columns.what },
        { name: columns.amount, amount: true },
        ...(hasBalance ? [{ name: columns.after, amount: true, wideOnly: true }] : []),
      ]}
    >
      {lines.map((line) => (
        <tr key={line.id}>
          <td className={`${tableCell} text-fg-2 max-sm:hidden`}>{moment(line)}</td>
          <td className={`${tableCell} w-full max-w-0 truncate max-sm:py-2`}>
            <Subject line={line} simulated={billingAccount.simulated} />{' '}
            {line.estimated && <Badge>{text.estimated}</Badge>}
            <span className="block text-fg-3 text-xs sm:hidden">{moment(line)}</span>
          </td>
          <td className={`${tableCell} text-right`}>
            <Money amount={line.amount} signed exactly />
            {hasBalance && (
              <span className="block text-fg-3 text-xs sm:hidden">
                <Money amount={line.balance_after} exactly />
              </span>
            )}
          </td>
          {hasBalance && (
            <td className={`${tableCell} text-right text-fg-2 max-sm:hidden`}>
              <Money amount={line.balance_after} exactly />
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

function Loading() {
  return (
    <div role="status" aria-label={text.loading} className="flex flex-col gap-4 pt-4">
      <Skeleton className="h-9 w-48" />
      <Skeleton className="h-4 w-72" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}

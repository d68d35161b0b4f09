import { ChevronDown, Wallet } from 'lucide-react';
import type { BillingAccountBalance, Ledger as Credits, LedgerLine } from '#shared/contract/app/billing-accounts.ts';
import type { GatewayAccount } from '#shared/contract/app/gateway-accounts.ts';
import { useOutlook } from '../../../api/use-billing-account.ts';
import { usePayer, useSettings } from '../../../api/use-core.ts';
import { useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { useQuote } from '../../../api/use-quote.ts';
import { saveLocalSettings } from '../../../browser/local-settings.ts';
import { useLocalSetting } from '../../../browser/use-local-setting.ts';
import { BillingAccountPage } from '../../../page/billing-account-page.tsx';
import { connectionText } from '../../../text/connection-text.ts';
import { text } from '../../../text/credits-text.ts';
import { describeError } from '../../../text/error-text.ts';
import { formatClock, formatMoment, roundUsd } from '../../../text/format.ts';
import { text as usageText } from '../../../text/usage-text.ts';
import { Menu, MenuItem } from '../../../ui/dialogs/menu.tsx';
import { Badge } from '../../../ui/elements/badge.tsx';
import { billingAccountName } from '../../../ui/elements/billing-account-name.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { Money, MoneyIn } from '../../../ui/elements/money.tsx';
import { OtherAmount } from '../../../ui/elements/other-amount.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { Empty } from '../../../ui/notices/empty.tsx';
import { NotRead } from '../../../ui/notices/not-read.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { Skeleton } from '../../../ui/notices/skeleton.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { DriftAlarm, ReconciliationLink } from '../reconciliation/drift-alarm.tsx';
import { KnownCost } from '../usage/known-cost.tsx';
import { BudgetPart } from './budget-part.tsx';
import { type LineFilter, useCredits, useFunds } from './use-credits.ts';

const types = ['all', 'usage', 'grant', 'purchase', 'refund', 'adjustment', 'expiry', 'byok_fee'] as const;
const periods = ['all', '7', '30', '90'] as const;
const dayMs = 86_400_000;

/** The filter of the lines, stored for this window. */
function useLineFilter() {
  const [type, setType] = useLocalSetting('creditsType', types, 'all');
  const [period, setPeriod] = useLocalSetting('creditsPeriod', periods, 'all');
  // Starts at midnight, so that the query key stays the same all day and the cache can serve it.
  const midnight = new Date().setHours(0, 0, 0, 0);
  const filter: LineFilter = {
    type: type === 'all' ? null : type,
    start: period === 'all' ? null : midnight - (Number(period) - 1) * dayMs,
  };
  return { type, period, setType, setPeriod, filter, isSet: type !== 'all' || period !== 'all' };
}

const typeName = (type: (typeof types)[number]): string => (type === 'all' ? text.allTypes : text.types[type]);
const periodOptions = periods.map((value) => ({ value, label: text.periods[value] }));

function LineFilters({ type, period, setType, setPeriod }: ReturnType<typeof useLineFilter>) {
  return (
    <div className="mb-2 flex flex-wrap items-center gap-2">
      <Menu
        trigger={
          <Button aria-label={text.typeChosen(typeName(type))}>
            {typeName(type)}
            <ChevronDown size={14} aria-hidden />
          </Button>
        }
      >
        {types.map((option) => (
          <MenuItem key={option} onClick={() => setType(option)}>
            {typeName(option)}
          </MenuItem>
        ))}
      </Menu>
      <Segmented label={text.period} value={period} options={periodOptions} onChange={setPeriod} />
    </div>
  );
}

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
        {metered ? (
          <KnownCost cost={credits.total_used} unknown={billingAccount.unknown} />
        ) : (
          <Money amount={credits.balance} rest />
        )}
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

/**
 * Names what a line is for: the model and chat, or the reason for a credit. Only the app grants test credits, and only
 * once.
 */
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
  // On own keys there is no balance, and so none after a line.
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

/** Shows how long the balance lasts and how that is calculated, and what to do when it is low. */
function OutlookLine({ billingAccount }: { billingAccount: BillingAccountBalance }) {
  const outlook = useOutlook(billingAccount.id).data;
  const tooDear = useTooDearModel(billingAccount);
  if (!outlook || billingAccount.billing === 'meter_only') return null;
  const { messagesLeft, daysLeft, basis, low } = outlook;
  return (
    <>
      <p className="mt-1 text-fg-2">
        {tooDear !== null ? (
          text.noneCanBeSentTo(tooDear)
        ) : messagesLeft === null || basis === null ? (
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
            {text.low} <TopUp billingAccount={billingAccount} />
          </Notice>
        </div>
      )}
    </>
  );
}

/**
 * Returns the model of new chats if the balance doesn't cover even one of its messages. The gateway holds the cost of
 * the longest possible answer, whatever answers cost on average. Null if the balance covers it, or another account
 * pays.
 */
function useTooDearModel({ id, billing }: BillingAccountBalance): string | null {
  const model = useSettings().data?.model ?? 'router';
  const isPayer = usePayer(model)?.id === id && billing !== 'meter_only';
  const empty = { conversationId: null, folderId: null, text: '', attachments: [], model };
  const quote = useQuote(empty, isPayer, false).data;
  return isPayer && quote?.obstacles[0]?.code === 'insufficient_credits' ? quote.modelName : null;
}

/** Names who can add credits. The gateway API has no field for a payment page, so the gateway's operator is named. */
function TopUp({ billingAccount }: { billingAccount: BillingAccountBalance }) {
  const { accounts = [], active = null } = useGatewayAccounts().data ?? {};
  const account = accounts.find(({ id }) => id === active);
  if (billingAccount.simulated) return <>{text.topUpTest}</>;
  return <>{account ? text.topUpAt(new URL(account.baseUrl).host) : text.topUpOwn}</>;
}

/** Lists the balance of every account and when it was read. Shows nothing if there is only the built-in gateway. */
function AllAccounts() {
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
        {ids.map((id, index) => {
          const account = accounts.find((account) => account.id === id);
          const { data, error, dataUpdatedAt } = found[index] ?? {};
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

/** Shows the balance of a prepaid account, or the spend of a metered one. */
function Sum({
  billingAccount: { billing, balance, otherBalance, unknown },
}: {
  billingAccount: BillingAccountBalance;
}) {
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
      <KnownCost cost={balance.total_used} unknown={unknown} /> <span className="text-fg-3">{text.all.spent}</span>
    </>
  );
}

import { Scale } from 'lucide-react';
import { useState } from 'react';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import type { Reconciliation } from '#shared/contract/app/reconciliation.ts';
import { BillingAccountPage } from '../../../page/billing-account-page.tsx';
import { count, formatMoment } from '../../../text/format.ts';
import { Facts } from '../../../ui/elements/facts.tsx';
import { Money } from '../../../ui/elements/money.tsx';
import { Empty } from '../../../ui/notices/empty.tsx';
import { NotRead } from '../../../ui/notices/not-read.tsx';
import { Skeleton } from '../../../ui/notices/skeleton.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { DriftTable } from './drift-table.tsx';
import { OpenTable } from './open-table.tsx';
import { text } from './reconciliation-text.ts';
import { useReconciliation } from './use-reconciliation.ts';

const pageSize = 50;
const most = 200;

export function ReconciliationPage() {
  return (
    <BillingAccountPage
      title={text.title}
      billingAccountLabel={text.billingAccount}
      failed={text.failed}
      loading={<Loading />}
    >
      {(billingAccount) => <Matched key={billingAccount.id} billingAccount={billingAccount} />}
    </BillingAccountPage>
  );
}

function Matched({ billingAccount }: { billingAccount: BillingAccountBalance }) {
  const [limit, setLimit] = useState(pageSize);
  const query = useReconciliation(billingAccount.id, limit);
  const { data, error } = query;
  const isEmpty = data?.requests === 0 && data.running === 0;
  if (!data || (isEmpty && data.part))
    return error ? (
      <NotRead title={text.failed} notReported={text.notReported} error={error} onRetry={() => void query.refetch()} />
    ) : (
      <Loading />
    );
  return (
    <>
      <Stale error={error} readAt={query.dataUpdatedAt} />
      <p className="mt-2 text-fg-2">{text.intro}</p>
      {isEmpty ? (
        <Empty icon={Scale} title={text.empty}>
          {text.emptyNote}
        </Empty>
      ) : (
        <>
          <Head found={data} />
          <div className="mt-4">
            <Facts facts={getSums(data, billingAccount)} />
          </div>
          <h2 className="mt-8 mb-1 font-semibold text-md">{text.open}</h2>
          <OpenTable
            billingAccount={billingAccount.id}
            found={data}
            onMore={limit < most ? () => setLimit((shown) => Math.min(most, shown + pageSize)) : null}
          />
          {data.part === null && (
            <>
              <h2 className="mt-8 mb-1 font-semibold text-md">{text.drift}</h2>
              <DriftTable billingAccount={billingAccount.id} />
            </>
          )}
        </>
      )}
    </>
  );
}

function Head({ found }: { found: Reconciliation }) {
  const { requests, matched, differenceUsd, part, running, kinds } = found;
  const parts = (Object.keys(text.kinds) as (keyof typeof kinds)[]).filter((kind) => kinds[kind] > 0);
  return (
    <>
      <p className="mt-2 font-semibold text-3xl tabular-nums tracking-[-0.02em] wrap-anywhere">
        {text.matched(matched, requests)}
      </p>
      <p className="mt-1 text-fg-2 tabular-nums">
        {text.difference} <Money amount={differenceUsd} exactly />
      </p>
      <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-fg-2 text-sm tabular-nums">
        {parts.map((kind) => (
          <li key={kind}>
            {text.kinds[kind]} <span className="text-fg">{count(kinds[kind])}</span>
          </li>
        ))}
        {running > 0 && <li>{text.running(running)}</li>}
      </ul>
      {part && (
        <p role="status" className="mt-2 text-fg-3 text-xs">
          {text.part(part.requests, part.since === null ? '—' : formatMoment(part.since))}
        </p>
      )}
    </>
  );
}

function getSums({ sums, balance }: Reconciliation, { billing }: BillingAccountBalance): [string, React.ReactNode][] {
  const amounts: [string, string | null][] = [
    [text.sums.chats, sums.chatsUsd],
    ...(sums.otherProgramsUsd === '0' ? [] : [[text.sums.otherPrograms, sums.otherProgramsUsd] as [string, string]]),
    ...(sums.ownKeysUsd === '0' ? [] : [[text.sums.ownKeys, sums.ownKeysUsd] as [string, string]]),
    [text.sums.records, sums.recordsUsd],
    [text.sums.ledger, sums.ledgerUsd],
    ...(balance && billing !== 'meter_only'
      ? ([
          [text.sums.lines, balance.linesUsd],
          [text.sums.balance, balance.usd],
        ] as [string, string][])
      : []),
  ];
  return amounts.map(([name, amount]) => [name, <Money key={name} amount={amount} exactly />]);
}

function Loading() {
  return (
    <div role="status" aria-label={text.loading} className="flex flex-col gap-4 pt-4">
      <Skeleton className="h-9 w-72" />
      <Skeleton className="h-4 w-48" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}

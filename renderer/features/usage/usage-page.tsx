import { Activity } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { WalletBalance } from '#shared/contract/app/wallets.ts';
import { useKept } from '../../browser/use-kept.ts';
import { WalletPage } from '../../page/wallet-page.tsx';
import { text } from '../../text/usage-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { Money } from '../../ui/elements/money.tsx';
import { Segmented } from '../../ui/forms/segmented.tsx';
import { Empty } from '../../ui/notices/empty.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { Skeleton } from '../../ui/notices/skeleton.tsx';
import { Stale } from '../../ui/notices/stale.tsx';
import { BarChart } from './bar-chart.tsx';
import { daysOf, type Period, periods, rangeOf } from './periods.ts';
import { type Measure, stacksOf } from './series.ts';
import { DayTable, ModelUsageTable } from './usage-tables.tsx';
import { useUsage } from './use-usage.ts';

const measures: readonly Measure[] = ['cost', 'tokens', 'requests'];

export function UsagePage() {
  const [period, setPeriod] = useKept('usagePeriod', periods, '30');
  const choosePeriod = (
    <Segmented
      label={text.period}
      value={period}
      onChange={setPeriod}
      options={periods.map((value) => ({ value, label: text.periods[value] }))}
    />
  );
  return (
    <WalletPage
      wide
      title={text.title}
      walletLabel={text.wallet}
      failed={text.failed}
      controls={choosePeriod}
      loading={<Loading />}
    >
      {(wallet) => <Report key={wallet.id} wallet={wallet} period={period} />}
    </WalletPage>
  );
}

function Report({ wallet, period }: { wallet: WalletBalance; period: Period }) {
  const [measure, setMeasure] = useKept('usageMeasure', measures, 'cost');
  const [asTable, setAsTable] = useState(false);
  const range = rangeOf(period, Date.now());
  const byDay = useUsage(wallet.id, 'day', range);
  const byModel = useUsage(wallet.id, 'model', range);
  const failed = byDay.error ?? byModel.error;
  if (failed && (!byDay.data || !byModel.data)) {
    return (
      <Failure
        title={text.failed}
        error={failed}
        onRetry={() => {
          void byDay.refetch();
          void byModel.refetch();
        }}
      />
    );
  }
  if (!byDay.data || !byModel.data) return <Loading />;
  const stacks = stacksOf(daysOf(range), byDay.data.data, measure);
  const { totals } = byDay.data;
  const head = (
    <>
      <Stale error={failed} readAt={Math.min(byDay.dataUpdatedAt, byModel.dataUpdatedAt)} />
      <Head
        period={period}
        cost={totals.cost_usd}
        note={wallet.simulated ? text.testCredits : text.requests(totals.requests)}
      >
        {totals.requests > 0 && (
          <>
            <Segmented
              label={text.measure}
              value={measure}
              onChange={setMeasure}
              options={measures.map((value) => ({ value, label: text.measures[value] }))}
            />
            <Button onClick={() => setAsTable(!asTable)}>{asTable ? text.asChart : text.asTable}</Button>
          </>
        )}
      </Head>
    </>
  );
  if (totals.requests === 0) {
    return (
      <>
        {head}
        <Empty icon={Activity} title={text.empty}>
          {text.emptyNote}
        </Empty>
      </>
    );
  }
  return (
    <>
      {head}
      {asTable ? (
        <DayTable names={text.series[measure]} stacks={stacks} />
      ) : (
        <BarChart
          label={text.chart(text.measures[measure])}
          names={text.series[measure]}
          stacks={stacks}
          money={measure === 'cost'}
        />
      )}
      <p className="mt-1 text-fg-3 text-xs">{text.utc}</p>
      <h2 className="mt-8 mb-2 font-semibold text-md">{text.byModel}</h2>
      <ModelUsageTable buckets={byModel.data.data} />
    </>
  );
}

function Head({ period, cost, note, children }: { period: Period; cost: string; note: string; children: ReactNode }) {
  return (
    <div className="mb-4 flex flex-wrap items-end gap-x-2 gap-y-3">
      <div className="min-w-0 flex-1 max-sm:basis-full">
        <p className="text-fg-2">{text.heads[period]}</p>
        <p className="font-semibold text-3xl tabular-nums tracking-[-0.02em] wrap-anywhere">
          <Money amount={cost} />
        </p>
        <p className="text-fg-3 text-xs">{note}</p>
      </div>
      {children}
    </div>
  );
}

function Loading() {
  return (
    <div role="status" aria-label={text.loading} className="flex flex-col gap-4 pt-2">
      <Skeleton className="h-9 w-44" />
      <Skeleton className="h-56 w-full" />
      <Skeleton className="h-32 w-full" />
    </div>
  );
}

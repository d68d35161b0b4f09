import { Activity } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { UsageReport, WalletBalance } from '#shared/contract/app/wallets.ts';
import { useLocalSetting } from '../../browser/use-local-setting.ts';
import { WalletPage } from '../../page/wallet-page.tsx';
import { count, usd } from '../../text/format.ts';
import { text } from '../../text/usage-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { Facts } from '../../ui/elements/facts.tsx';
import { Money } from '../../ui/elements/money.tsx';
import { Segmented } from '../../ui/forms/segmented.tsx';
import { Empty } from '../../ui/notices/empty.tsx';
import { NotRead } from '../../ui/notices/not-read.tsx';
import { Skeleton } from '../../ui/notices/skeleton.tsx';
import { Stale } from '../../ui/notices/stale.tsx';
import { BarChart } from './bar-chart.tsx';
import { daysOf, type Period, periods, rangeBefore, rangeOf } from './periods.ts';
import { groupings, type Measure, stacksOf } from './series.ts';
import { saveUsageCsv } from './usage-csv.ts';
import { DayTable, GroupTable } from './usage-tables.tsx';
import { useUsage } from './use-usage.ts';

const measures: readonly Measure[] = ['cost', 'tokens', 'requests'];

export function UsagePage() {
  const [period, setPeriod] = useLocalSetting('usagePeriod', periods, '30');
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
  const [measure, setMeasure] = useLocalSetting('usageMeasure', measures, 'cost');
  const [asTable, setAsTable] = useState(false);
  const range = rangeOf(period, Date.now());
  const days = daysOf(range);
  const byDay = useUsage(wallet.id, 'day', range);
  const [groupBy, setGroupBy] = useLocalSetting('usageGrouping', groupings, 'model');
  const byGroup = useUsage(wallet.id, groupBy, range);
  const before = useUsage(wallet.id, 'day', rangeBefore(range)).data;
  const failed = byDay.error ?? byGroup.error;
  if (failed && (!byDay.data || !byGroup.data)) {
    return (
      <NotRead
        title={text.failed}
        notReported={text.notReported}
        error={failed}
        onRetry={() => {
          void byDay.refetch();
          void byGroup.refetch();
        }}
      />
    );
  }
  if (!byDay.data || !byGroup.data) return <Loading />;
  const stacks = stacksOf(days, byDay.data.data, measure);
  const { totals } = byDay.data;
  const shown = byGroup.data;
  const grouped = byDay.data.grouped !== false || shown.grouped !== false;
  // A gateway of another kind may tell the figures of a period of its own.
  const asked = byDay.data.period !== null;
  // While another grouping is being read, the one before stays.
  const shownGrouping = groupings.find((each) => each === shown.group_by) ?? groupBy;
  const head = (
    <>
      <Stale error={failed} readAt={Math.min(byDay.dataUpdatedAt, byGroup.dataUpdatedAt)} />
      <Head
        title={asked ? text.heads[period] : text.asCounted}
        cost={totals.cost_usd}
        notes={[
          ...(wallet.simulated ? [text.testCredits] : []),
          ...(totals.requests === null || wallet.simulated ? [] : [text.requests(totals.requests)]),
          ...(asked && before?.totals.cost_usd != null ? [text.before(usd(before.totals.cost_usd), days.length)] : []),
          ...(asked ? [] : [text.otherPeriod]),
        ]}
      >
        {totals.requests !== 0 && grouped && (
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
  if (!grouped) {
    return (
      <>
        {head}
        <Facts facts={sumsOf(totals)} />
        <p className="mt-2 text-fg-2">{text.notGrouped}</p>
      </>
    );
  }
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
          palette={measure === 'requests' ? 'outcomes' : 'kinds'}
        />
      )}
      <p className="mt-1 text-fg-3 text-xs">{text.utc}</p>
      <div className="mt-8 mb-2 flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1 font-semibold text-md max-sm:basis-full">
          {text.by(text.groups[shownGrouping])}
        </h2>
        <Segmented
          label={text.groupBy}
          value={groupBy}
          onChange={setGroupBy}
          options={groupings.map((value) => ({ value, label: text.groups[value] }))}
        />
        <Button onClick={() => saveUsageCsv(shown, shownGrouping, days)}>{text.csv}</Button>
      </div>
      <GroupTable groupBy={shownGrouping} buckets={shown.data} />
    </>
  );
}

function sumsOf(totals: UsageReport['totals']): [string, ReactNode][] {
  const { columns } = text;
  const sums: [string, number | null][] = [
    [columns.requests, totals.requests],
    [columns.input, totals.prompt_tokens],
    [columns.output, totals.completion_tokens],
    [text.measures.tokens, totals.total_tokens],
  ];
  return sums.flatMap(([name, value]) => (value === null ? [] : [[name, count(value)] as [string, ReactNode]]));
}

interface HeadProps {
  title: string;
  cost: string | null;
  notes: readonly string[];
  children: ReactNode;
}

function Head({ title, cost, notes, children }: HeadProps) {
  return (
    <div className="mb-4 flex flex-wrap items-end gap-x-2 gap-y-3">
      <div className="min-w-0 flex-1 max-sm:basis-full">
        <p className="text-fg-2">{title}</p>
        <p className="font-semibold text-3xl tabular-nums tracking-[-0.02em] wrap-anywhere">
          <Money amount={cost} />
        </p>
        {notes.map((note) => (
          <p key={note} className="text-fg-3 text-xs">
            {note}
          </p>
        ))}
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

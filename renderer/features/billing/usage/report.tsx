import { Activity } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import type { UsageGroupId, UsagePeriod, UsageReport } from '#shared/contract/app/usage.ts';
import { useLocalSetting } from '../../../browser/use-local-setting.ts';
import { count, dayRange, share } from '../../../text/format.ts';
import { text } from '../../../text/usage-text.ts';
import { Facts } from '../../../ui/elements/facts.tsx';
import { buttonLink, Link } from '../../../ui/elements/link.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { Empty } from '../../../ui/notices/empty.tsx';
import { NotRead } from '../../../ui/notices/not-read.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { DriftAlarm, ReconciliationLink } from '../reconciliation/drift-alarm.tsx';
import { Chart } from './chart.tsx';
import { CostSources } from './cost-sources.tsx';
import { ExportLines } from './export-lines.tsx';
import { GroupTable } from './group-table.tsx';
import { Head } from './head.tsx';
import { Insights } from './insights.tsx';
import { rangeText } from './periods.ts';
import { RequestList } from './request-list.tsx';
import { getGrouping, getMeasure, measures, roughWords, stackings } from './series.ts';
import { useInsights, useUsage } from './use-usage.ts';

interface ReportProps {
  billingAccount: BillingAccountBalance;
  period: UsagePeriod;
  today: string;
  loading: ReactNode;
  /** Chooses whose days they are. */
  zone: ReactNode;
}

/** The requests that are looked at. */
interface Opened {
  readonly title: string;
  readonly days: { readonly first: string; readonly last: string };
  readonly group: UsageGroupId | null;
}

export function Report({ billingAccount, period, today, loading, zone }: ReportProps) {
  const [measure, setMeasure] = useLocalSetting('usageMeasure', measures, 'cost');
  const [kept, setStacking] = useLocalSetting('usageGrouping', stackings, 'model');
  const stacking = kept === 'type' && measure !== 'tokens' ? 'model' : kept;
  const [opened, setOpened] = useState<Opened | null>(null);
  const usage = useUsage(billingAccount.id, getGrouping(stacking), period);
  const insights = useInsights(billingAccount.id, period);
  const report = usage.data;
  if (usage.isError && !report)
    return (
      <NotRead
        title={text.failed}
        notReported={text.notReported}
        error={usage.error}
        onRetry={() => void usage.refetch()}
      />
    );
  if (!report) return loading;
  const head = (
    <>
      <Stale error={usage.error ?? insights.error} readAt={usage.dataUpdatedAt} />
      <DriftAlarm />
      <Head
        title={getTitle(report)}
        value={getMeasure(report.totals, measure).amount}
        unknown={getMeasure(report.totals, measure).unknown}
        sources={
          measure === 'cost' && (
            <CostSources
              billingAccount={billingAccount.id}
              period={{ ...period, zone: report.zone }}
              onOpen={() => setStacking('provenance')}
            />
          )
        }
        notes={getNotes(report, billingAccount, measure)}
      >
        {report.perDay && report.totals.requests !== 0 && (
          <Segmented
            label={text.measure}
            value={measure}
            onChange={setMeasure}
            options={measures.map((value) => ({ value, label: text.measures[value] }))}
          />
        )}
      </Head>
    </>
  );
  if (report.perDay === null && report.groups === null) {
    return (
      <>
        {head}
        <Facts facts={getSums(report)} />
        <p className="mt-2 text-fg-2">{text.notGrouped}</p>
      </>
    );
  }
  if (report.totals.requests === 0) {
    return (
      <>
        {head}
        <Empty icon={Activity} title={text.empty}>
          {text.emptyNote}
        </Empty>
        {insights.data && <Insights report={report} insights={insights.data} />}
      </>
    );
  }
  // While another grouping is being read, the one before stays.
  const shown = usage.isPlaceholderData ? report.groupBy : stacking;
  const canOpen = report.series !== null;
  return (
    <div aria-busy={usage.isPlaceholderData}>
      {head}
      <div className="mb-4">
        <Segmented
          label={text.stackBy}
          value={stacking}
          onChange={setStacking}
          options={stackings
            .filter((value) => value !== 'type' || measure === 'tokens')
            .map((value) => ({ value, label: text.groups[value] }))}
        />
      </div>
      {report.perDay && (
        <Chart
          report={report}
          measure={measure}
          stacking={shown}
          partial={report.days.at(-1) === today}
          zone={zone}
          onOpen={canOpen ? (day, group, title) => setOpened({ days: { first: day, last: day }, group, title }) : null}
        />
      )}
      {insights.data && <Insights report={report} insights={insights.data} />}
      <div className="mt-8 mb-2 flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1 font-semibold text-md">{text.by(text.groups[report.groupBy])}</h2>
        <WhatIfLink period={{ ...period, zone: report.zone }} />
        <ReconciliationLink />
      </div>
      {report.groups ? (
        <GroupTable
          report={report}
          groups={report.groups}
          onOpen={canOpen ? (group, title) => setOpened({ days: period, group, title }) : null}
        />
      ) : (
        <p className="text-fg-2">{text.notThisGroup(text.groups[report.groupBy])}</p>
      )}
      {canOpen && <ExportLines billingAccount={billingAccount.id} period={period} />}
      {opened && (
        <RequestList
          billingAccount={billingAccount.id}
          title={opened.title}
          bar={{
            groupBy: report.groupBy,
            group: opened.group,
            period: { first: opened.days.first, last: opened.days.last, zone: report.zone },
          }}
          onClose={() => setOpened(null)}
        />
      )}
    </div>
  );
}

/** The same requests, priced on other models. */
function WhatIfLink({ period: { first, last, zone } }: { period: UsagePeriod }) {
  const search = new URLSearchParams({ days: rangeText({ first, last }), ...(zone !== 'UTC' && { zone }) }).toString();
  return (
    <Link to={{ page: 'models', view: 'what-if', search }} className={buttonLink}>
      {text.whatIf}
    </Link>
  );
}

function getTitle({ ofPeriod, ownPeriod, days }: UsageReport): string {
  if (ofPeriod) return dayRange(days[0] ?? '', days.at(-1) ?? '');
  return ownPeriod ? dayRange(ownPeriod.first, ownPeriod.last) : text.asCounted;
}

function getNotes(
  report: UsageReport,
  billingAccount: BillingAccountBalance,
  measure: (typeof measures)[number],
): string[] {
  const { totals, before, ofPeriod, ownPeriod, days } = report;
  const [now, then] = [getMeasure(totals, measure), before && getMeasure(before, measure)];
  const compared = then && then.amount !== null && then.size > 0 && now.amount !== null && now.size !== then.size;
  const part = compared ? share(Math.abs(now.size / then.size - 1)) : '';
  const change = compared ? `${text.compared[now.size > then.size ? 'up' : 'down'](part)} ` : '';
  return [
    ...(billingAccount.simulated ? [text.testCredits] : []),
    ...(totals.requests === null || measure === 'requests' ? [] : [text.requests(totals.requests)]),
    ...(measure === 'cost' || totals.cost_usd === null ? [] : [roughWords(getMeasure(totals, 'cost'))]),
    ...(then && then.size > 0 ? [change + text.before(roughWords(then), days.length)] : []),
    ...(ofPeriod ? [] : [ownPeriod ? text.ownPeriod : text.otherPeriod]),
  ];
}

function getSums({ totals }: UsageReport): [string, ReactNode][] {
  const tokens = getMeasure(totals, 'tokens').amount;
  const sums: [string, string | number | null][] = [
    [text.columns.requests, totals.requests],
    [text.columns.input, totals.input],
    [text.columns.output, totals.output],
    [text.measures.tokens, tokens],
  ];
  return sums.flatMap(([name, value]) =>
    typeof value === 'number' ? [[name, count(value)] as [string, ReactNode]] : [],
  );
}

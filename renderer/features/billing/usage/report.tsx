import { Activity } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import type { UsageGroupId, UsageGroupSums, UsagePeriod, UsageReport } from '#shared/contract/app/usage.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { useProviderName } from '../../../api/use-provider-name.ts';
import { useLocalSetting } from '../../../browser/use-local-setting.ts';
import { count, dayRange, share, smallShare } from '../../../text/format.ts';
import { text } from '../../../text/usage-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Facts } from '../../../ui/elements/facts.tsx';
import { buttonLink, Link } from '../../../ui/elements/link.tsx';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { Empty } from '../../../ui/notices/empty.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { NotRead } from '../../../ui/notices/not-read.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { DriftAlarm, ReconciliationLink } from '../reconciliation/drift-alarm.tsx';
import { Chart } from './chart.tsx';
import { groupKey, groupName } from './group-names.ts';
import { Insights } from './insights.tsx';
import { KnownCost } from './known-cost.tsx';
import { rangeText } from './periods.ts';
import { RequestList } from './request-list.tsx';
import { formatRounded, getGrouping, getMeasure, measures, stackings } from './series.ts';
import { useExportLines, useInsights, useUsage } from './use-usage.ts';

interface GroupTableProps {
  report: UsageReport;
  groups: readonly UsageGroupSums[];
  /** Opens the requests of a group. Null: the gateway doesn't list requests. */
  onOpen: ((group: UsageGroupId, title: string) => void) | null;
}

/** Usage by group, the highest cost first. */
function GroupTable({ report: { groupBy, days, more }, groups, onOpen }: GroupTableProps) {
  const { columns } = text;
  const providerName = useProviderName();
  const counts = [columns.requests, columns.failed, columns.input, columns.cached, columns.output];
  // A narrow window shows only the cost of each group.
  const wide = counts.slice(1);
  const amounts = [...counts, columns.cost, columns.share];
  return (
    <Table
      label={text.by(text.groups[groupBy])}
      columns={[
        { name: text.groups[groupBy] },
        ...amounts.map((name) => ({ name, amount: true, wideOnly: wide.includes(name) })),
      ]}
    >
      {groups.map((group) => {
        const { kind, id, provider, cost_usd: cost, requests, failed, input, cached, output, reasoning } = group;
        const name = kind === 'rest' ? text.more(more) : groupName(group, groupBy, providerName);
        const when = dayRange(days[0] ?? '', days.at(-1) ?? '');
        const mark = groupBy === 'provider' ? id : provider;
        const all = [requests, failed, plus(input, cached), cached, plus(output, reasoning)];
        return (
          <tr key={groupKey(group)}>
            <th scope="row" className={`${tableCell} max-w-72 text-left font-medium`}>
              <span className="flex items-center gap-2">
                {mark !== null && <ProviderMark provider={mark} />}
                {onOpen && kind !== 'rest' ? (
                  <button
                    type="button"
                    className="truncate hover:underline"
                    onClick={() => onOpen({ kind, id, provider }, text.lines.title(name, when))}
                  >
                    {name}
                  </button>
                ) : (
                  <span className="truncate">{name}</span>
                )}
              </span>
            </th>
            {all.map((value, index) => (
              <td
                key={counts[index]}
                className={`${tableCell} text-right text-fg-2 ${index > 0 ? 'max-sm:hidden' : ''}`}
              >
                {value === null ? '—' : count(value)}
              </td>
            ))}
            <td className={`${tableCell} text-right`}>
              <KnownCost cost={cost} unknown={group.unknown} />
            </td>
            <td className={`${tableCell} text-right text-fg-2`}>
              {group.share === null ? '—' : smallShare(group.share)}
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

const plus = (a: number | null, b: number | null) => (a === null ? null : a + (b ?? 0));

const formats = ['csv', 'json'] as const;

/** Exports every request of the period, one per row. */
function ExportLines({ billingAccount, period }: { billingAccount: BillingAccount; period: UsagePeriod }) {
  const exporting = useExportLines(billingAccount);
  return (
    <section aria-label={text.export} className="mt-6">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-fg-2">{text.export}</span>
        {formats.map((format) => (
          <Button key={format} disabled={exporting.isPending} onClick={() => exporting.mutate({ period, format })}>
            {text.exportAs[format]}
          </Button>
        ))}
        {exporting.isPending && (
          <>
            <span role="status" className="text-fg-3 text-xs tabular-nums">
              {text.exporting(exporting.done)}
            </span>
            <Button variant="quiet" onClick={exporting.stop}>
              {text.stop}
            </Button>
          </>
        )}
      </div>
      {exporting.isError && !exporting.isStopped && (
        <Failure
          title={text.exportFailed}
          error={exporting.error}
          onRetry={() => exporting.variables && exporting.mutate(exporting.variables)}
        />
      )}
    </section>
  );
}

interface ReportProps {
  billingAccount: BillingAccountBalance;
  period: UsagePeriod;
  today: string;
  loading: ReactNode;
  /** The control that selects the time zone of the days. */
  zone: ReactNode;
}

/** The requests that are open in the dialog. */
interface Opened {
  readonly title: string;
  readonly days: { readonly first: string; readonly last: string };
  readonly group: UsageGroupId | null;
}

export function Report({ billingAccount, period, today, loading, zone }: ReportProps) {
  const [measure, setMeasure] = useLocalSetting('usageMeasure', measures, 'cost');
  const [stored, setStacking] = useLocalSetting('usageGrouping', stackings, 'model');
  const stacking = stored === 'type' && measure !== 'tokens' ? 'model' : stored;
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
  // While another grouping is loading, the previous one stays.
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

/** A link that prices the same requests on other models. */
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
    ...(measure === 'cost' || totals.cost_usd === null ? [] : [formatRounded(getMeasure(totals, 'cost'))]),
    ...(then && then.size > 0 ? [change + text.before(formatRounded(then), days.length)] : []),
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

interface HeadProps {
  title: string;
  /** An amount or a count. Null: unknown. */
  value: string | number | null;
  /** The number of requests that the amount leaves out, because their cost is unknown. */
  unknown?: number | null | undefined;
  /** The sources that the amount consists of. */
  sources?: ReactNode;
  notes: readonly string[];
  children: ReactNode;
}

/** The page's main figure with its notes. */
function Head({ title, value, unknown = null, sources, notes, children }: HeadProps) {
  return (
    <div className="mt-2 mb-4 flex flex-wrap items-end gap-x-2 gap-y-3">
      <div className="min-w-0 flex-1 max-sm:basis-full">
        <p className="text-fg-2">{title}</p>
        <p className="font-semibold text-3xl tabular-nums tracking-[-0.02em] wrap-anywhere">
          {typeof value === 'number' ? count(value) : <KnownCost cost={value} unknown={unknown} />}
        </p>
        {sources}
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

interface CostSourcesProps {
  billingAccount: BillingAccount;
  period: UsagePeriod;
  /** Groups the report by cost source. */
  onOpen: () => void;
}

/** Shows below a sum how much of it is a list price, an estimate or unknown. Shows nothing if all of it was billed. */
function CostSources({ billingAccount, period, onOpen }: CostSourcesProps) {
  const { data } = useUsage(billingAccount, 'provenance', period);
  const words = sourceWords(data);
  if (words === '') return null;
  return (
    <p className="text-fg-3 text-xs">
      <button
        type="button"
        title={text.costSources.open}
        className="underline decoration-line underline-offset-2 hover:text-fg"
        onClick={onOpen}
      >
        {words}
      </button>
    </p>
  );
}

function sourceWords(report: UsageReport | undefined): string {
  if (report?.groupBy !== 'provenance') return '';
  const requests = (id: string) => report.groups?.find((group) => group.id === id)?.requests ?? 0;
  const unknown = report.totals.unknown ?? 0;
  return [
    ...(requests('byok') > 0 ? [text.costSources.byok] : []),
    ...(requests('estimated') > 0 ? [text.costSources.estimated(requests('estimated'))] : []),
    ...(unknown > 0 ? [text.unknown(unknown)] : []),
  ].join(', ');
}

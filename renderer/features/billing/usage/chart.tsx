import { type ReactNode, useState } from 'react';
import type { UsageGroupId, UsageReport } from '#shared/contract/app/usage.ts';
import { useProviderName } from '../../../api/use-provider-name.ts';
import { utcDay } from '../../../text/format.ts';
import { text } from '../../../text/usage-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Hint } from '../../../ui/elements/hint.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { BarChart } from './bar-chart.tsx';
import { formatExact, getMeasure, getSeries, type Measure, type Series, type Stacking } from './series.ts';
import { usePageKeys } from './use-page-keys.ts';

interface ChartProps {
  report: UsageReport;
  measure: Measure;
  stacking: Stacking;
  partial: boolean;
  zone: ReactNode;
  /** Null: the gateway doesn't list requests. */
  onOpen: ((day: string, group: UsageGroupId | null, title: string) => void) | null;
}

/** The days of a period, as bars or as a table. */
export function Chart({ report, measure, stacking, partial, zone, onOpen }: ChartProps) {
  const { days, zone: counted } = report;
  const [picked, setPicked] = useState<string | null>(null);
  const [asTable, setAsTable] = useState(false);
  usePageKeys({ t: () => setAsTable((now) => !now) });
  const series = getSeries(report, measure, stacking, useProviderName());
  const sums = (report.perDay ?? []).map((day) => getMeasure(day, measure));
  const before = report.perDayBefore?.map((day) => getMeasure(day, measure)) ?? null;
  const chosen = picked === null ? days.length - 1 : Math.max(0, days.indexOf(picked));
  const most = sums.reduce((best, { size }, index) => (size > (sums[best]?.size ?? 0) ? index : best), 0);
  const label = text.chart(
    text.measures[measure],
    utcDay(days[0] ?? ''),
    utcDay(days.at(-1) ?? ''),
    formatExact(getMeasure(report.totals, measure)),
    utcDay(days[most] ?? ''),
  );
  const open = (index: number, group: UsageGroupId | null) => {
    const day = days[index];
    if (day === undefined) return;
    const name = series.find((candidate) => candidate.group === group && group !== null)?.name ?? text.lines.all;
    onOpen?.(day, group, text.lines.title(name, utcDay(day)));
  };
  return (
    <>
      {asTable ? (
        <DayTable
          days={days}
          series={series}
          sums={sums}
          before={before}
          onOpen={onOpen && ((index) => open(index, null))}
        />
      ) : (
        <BarChart
          {...{ label, days, series, sums, before, partial, chosen }}
          money={measure === 'cost'}
          onChoose={(index) => setPicked(days[index] ?? null)}
          onOpen={open}
        />
      )}
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 flex-1 text-fg-3 text-xs max-sm:basis-full">
          {counted === 'UTC' && report.series === null
            ? text.onlyUtc
            : (onOpen ? text.days : text.daysPlain)(counted.replaceAll('_', ' '))}
        </p>
        {report.series !== null && zone}
        <Hint label={asTable ? text.asChart : text.asTable} shortcut="T">
          <Button onClick={() => setAsTable(!asTable)}>{asTable ? text.asChart : text.asTable}</Button>
        </Hint>
      </div>
    </>
  );
}

interface DayTableProps {
  days: readonly string[];
  series: readonly Series[];
  sums: Series['days'];
  before: Series['days'] | null;
  onOpen: ((index: number) => void) | null;
}

/** The chart's data as a table: each day with its sum and its parts, newest first. */
function DayTable({ days, series, sums, before, onOpen }: DayTableProps) {
  const parts = series.length > 1 ? series : [];
  const columns = [text.columns.total, ...parts.map(({ name }) => name), ...(before ? [text.columns.before] : [])];
  const none = { amount: 0 };
  return (
    <Table label={text.asTable} columns={[{ name: text.day }, ...columns.map((name) => ({ name, amount: true }))]}>
      {days
        .map((day, index) => (
          <tr key={day}>
            <th scope="row" className={`${tableCell} text-left font-normal`}>
              {onOpen ? (
                <button type="button" className="hover:underline" onClick={() => onOpen(index)}>
                  {utcDay(day)}
                </button>
              ) : (
                utcDay(day)
              )}
            </th>
            <td className={`${tableCell} text-right`}>{formatExact(sums[index] ?? none)}</td>
            {parts.map(({ key, days: values }) => (
              <td key={key} className={`${tableCell} text-right text-fg-2`}>
                {formatExact(values[index] ?? none)}
              </td>
            ))}
            {before && <td className={`${tableCell} text-right text-fg-2`}>{formatExact(before[index] ?? none)}</td>}
          </tr>
        ))
        .toReversed()}
    </Table>
  );
}

import { type ReactNode, useState } from 'react';
import type { UsageGroupId, UsageReport } from '#shared/contract/app/usage.ts';
import { useProviderName } from '../../../api/use-provider-name.ts';
import { utcDay } from '../../../text/format.ts';
import { text } from '../../../text/usage-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Hint } from '../../../ui/elements/hint.tsx';
import { BarChart } from './bar-chart.tsx';
import { DayTable } from './day-table.tsx';
import { getMeasure, getSeries, getWords, type Measure, type Stacking } from './series.ts';
import { usePageKeys } from './use-page-keys.ts';

interface ChartProps {
  report: UsageReport;
  measure: Measure;
  stacking: Stacking;
  partial: boolean;
  zone: ReactNode;
  /** Null: the gateway does not list requests. */
  onOpen: ((day: string, group: UsageGroupId | null, title: string) => void) | null;
}

/** A period day by day: as bars, or as the table behind them. */
export function Chart({ report, measure, stacking, partial, zone, onOpen }: ChartProps) {
  const { days, zone: counted } = report;
  const [picked, setPicked] = useState<string | null>(null);
  const [asTable, setAsTable] = useState(false);
  usePageKeys({ t: () => setAsTable((now) => !now) });
  const series = getSeries(report, measure, stacking, useProviderName());
  const sums = (report.perDay ?? []).map((day) => getMeasure(day, measure));
  const before = report.perDayBefore?.map((day) => getMeasure(day, measure)) ?? null;
  const chosen = picked === null ? days.length - 1 : Math.max(0, days.indexOf(picked));
  const most = sums.reduce((best, { size }, at) => (size > (sums[best]?.size ?? 0) ? at : best), 0);
  const label = text.chart(
    text.measures[measure],
    utcDay(days[0] ?? ''),
    utcDay(days.at(-1) ?? ''),
    getWords(getMeasure(report.totals, measure)),
    utcDay(days[most] ?? ''),
  );
  const open = (at: number, group: UsageGroupId | null) => {
    const day = days[at];
    if (day === undefined) return;
    const name = series.find((each) => each.group === group && group !== null)?.name ?? text.lines.all;
    onOpen?.(day, group, text.lines.title(name, utcDay(day)));
  };
  return (
    <>
      {asTable ? (
        <DayTable days={days} series={series} sums={sums} before={before} onOpen={onOpen && ((at) => open(at, null))} />
      ) : (
        <BarChart
          {...{ label, days, series, sums, before, partial, chosen }}
          money={measure === 'cost'}
          onChoose={(at) => setPicked(days[at] ?? null)}
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

import type { KeyboardEvent, MouseEvent, PointerEvent } from 'react';
import type { UsageGroupId } from '#shared/contract/app/usage.ts';
import { useNarrow } from '../../../browser/use-media.ts';
import { utcDay } from '../../../text/format.ts';
import { text } from '../../../text/usage-text.ts';
import { getPlot, type Plot } from './plot.ts';
import { type Colour, formatExact, formatRounded, type Series } from './series.ts';

/** The colour of the bars and of the legend's dots. */
const colours: Readonly<Record<Colour, string>> = {
  '1': 'text-(--series-1)',
  '2': 'text-(--series-2)',
  '3': 'text-(--series-3)',
  '4': 'text-(--series-4)',
  '6': 'text-(--series-6)',
  rest: 'text-(--series-5)',
  bad: 'text-bad',
};

export interface BarChartProps {
  /** The chart's text for screen readers. */
  label: string;
  days: readonly string[];
  series: readonly Series[];
  /** The sum of each day, and of each day in the period before. */
  sums: Series['days'];
  before: Series['days'] | null;
  money: boolean;
  /** True if the last day isn't over yet. */
  partial: boolean;
  chosen: number;
  onChoose: (day: number) => void;
  /** Opens the requests of a day, for all groups or one. */
  onOpen: (day: number, group: UsageGroupId | null) => void;
}

/**
 * Stacked bars per day. The pointer or the arrow keys select a day, whose values are shown below. A click or Enter
 * opens its requests.
 */
export function BarChart(props: BarChartProps) {
  const { label, days, series, sums, before, money, partial, chosen, onChoose, onOpen } = props;
  const narrow = useNarrow();
  const plot = getPlot({ days: days.length, sums, before, money, narrow });
  const day = days[chosen];
  const valueText = [
    day && utcDay(day),
    text.sum(formatExact(sums[chosen] ?? none)),
    ...(series.length > 1
      ? series.map(({ name, days: values }) => `${name} ${formatExact(values[chosen] ?? none)}`)
      : []),
    ...(before ? [text.dayBefore(formatExact(before[chosen] ?? none))] : []),
  ].join(', ');
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') return onOpen(chosen, null);
    const last = days.length - 1;
    const next = { ArrowLeft: chosen - 1, ArrowRight: chosen + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(Math.max(0, Math.min(last, next)));
  };
  const locate = (event: MouseEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    const scale = plot.width / box.width;
    return plot.at((event.clientX - box.left) * scale, (event.clientY - box.top) * scale, series);
  };
  const onPointerMove = (event: PointerEvent) => {
    const { day: pointed } = locate(event);
    if (pointed !== null && pointed !== chosen) onChoose(pointed);
  };
  const onClick = (event: MouseEvent) => {
    const { day: pointed, series: hit } = locate(event);
    if (pointed !== null) onOpen(pointed, hit === null ? null : (series[hit]?.group ?? null));
  };
  return (
    <figure className="m-0">
      <div className="relative">
        <svg role="img" aria-label={label} viewBox={`0 0 ${plot.width} ${plot.height}`} className="block h-auto w-full">
          <Bars plot={plot} days={days} series={series} before={before} chosen={chosen} partial={partial} />
        </svg>
        <div
          role="slider"
          tabIndex={0}
          aria-label={text.day}
          aria-orientation="horizontal"
          aria-valuemin={1}
          aria-valuemax={days.length}
          aria-valuenow={chosen + 1}
          aria-valuetext={valueText}
          onKeyDown={onKeyDown}
          onPointerMove={onPointerMove}
          onClick={onClick}
          className="absolute inset-0 cursor-pointer rounded-menu"
        />
      </div>
      <figcaption className="flex min-h-8 flex-wrap items-center gap-x-5 gap-y-1 pt-2 tabular-nums">
        <span className="min-w-14 font-semibold">
          {day && utcDay(day)} <span className="font-normal">{formatRounded(sums[chosen] ?? none)}</span>
        </span>
        {series.length > 1 &&
          series.map(({ key, name, colour, days: values }) => (
            <span key={key} className="flex min-w-0 items-center gap-1.5">
              <span className={`series size-2.5 shrink-0 rounded-[3px] bg-current ${colours[colour]}`} aria-hidden />
              <span className="max-w-52 truncate">{name}</span>
              <span className="text-fg-2">{formatRounded(values[chosen] ?? none)}</span>
            </span>
          ))}
        {before && (before[chosen]?.size ?? 0) > 0 && (
          <span className="flex items-center gap-1.5 text-fg-2">
            <span className="h-0.5 w-3 bg-fg-2" aria-hidden />
            {text.dayBefore(formatRounded(before[chosen] ?? none))}
          </span>
        )}
      </figcaption>
    </figure>
  );
}

const none = { size: 0, amount: 0 };

interface BarsProps {
  plot: Plot;
  days: readonly string[];
  series: readonly Series[];
  before: Series['days'] | null;
  chosen: number;
  /** True if the last day isn't over yet. */
  partial: boolean;
}

/** The contents of the chart's SVG. */
function Bars({ plot, days, series, before, chosen, partial }: BarsProps) {
  const { left, width, height, top, plotHeight, slot, every, bar, x, y, ticks } = plot;
  return (
    <>
      {ticks.map(({ step, words }) => (
        <g key={step}>
          <line x1={left} x2={width} y1={y(step)} y2={y(step)} className="stroke-line" strokeWidth="1" />
          <text x={left - 8} y={y(step) + 4} textAnchor="end" className="fill-fg-3 text-2xs tabular-nums">
            {words}
          </text>
        </g>
      ))}
      {days.map((day, index) => (
        <g key={day}>
          {index === chosen && (
            <rect x={x(index)} y={top} width={slot} height={plotHeight} rx="4" className="fill-hover" />
          )}
          <Stack plot={plot} series={series} at={index} faint={partial && index === days.length - 1} />
          {before && (before[index]?.size ?? 0) > 0 && (
            <line
              x1={x(index) + (slot - bar) / 2 - 1}
              x2={x(index) + (slot + bar) / 2 + 1}
              y1={y(before[index]?.size ?? 0)}
              y2={y(before[index]?.size ?? 0)}
              className="stroke-fg-2"
              strokeOpacity="0.6"
              strokeWidth="1.5"
            />
          )}
          {index % every === 0 && (
            <text x={x(index) + slot / 2} y={height - 4} textAnchor="middle" className="fill-fg-3 text-2xs">
              {utcDay(day)}
            </text>
          )}
        </g>
      ))}
    </>
  );
}

interface StackProps {
  plot: Plot;
  series: readonly Series[];
  at: number;
  /** True for a day that isn't over yet. */
  faint: boolean;
}

function Stack({ plot: { x, y, slot, bar }, series, at: index, faint }: StackProps) {
  let base = 0;
  return (
    <g className={faint ? 'opacity-60' : undefined}>
      {series.map(({ key, colour, days }) => {
        const { size } = days[index] ?? { size: 0 };
        const from = base;
        base += size;
        if (size <= 0) return null;
        const height = Math.max(1, y(from) - y(base) - (from > 0 ? 1 : 0));
        return (
          <rect
            key={key}
            x={x(index) + (slot - bar) / 2}
            y={y(base)}
            width={bar}
            height={height}
            rx={Math.min(2, bar / 4)}
            className={`series fill-current ${colours[colour]}`}
          />
        );
      })}
    </g>
  );
}

import { utcDay } from '../../../text/format.ts';
import { bars } from './colours.ts';
import type { Plot } from './plot.ts';
import type { Series } from './series.ts';

interface BarsProps {
  plot: Plot;
  days: readonly string[];
  series: readonly Series[];
  before: Series['days'] | null;
  chosen: number;
  /** The last day is not over. */
  partial: boolean;
}

/** What is inside of the chart's picture. */
export function Bars({ plot, days, series, before, chosen, partial }: BarsProps) {
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
      {days.map((day, at) => (
        <g key={day}>
          {at === chosen && <rect x={x(at)} y={top} width={slot} height={plotHeight} rx="4" className="fill-hover" />}
          <Stack plot={plot} series={series} at={at} faint={partial && at === days.length - 1} />
          {before && (before[at]?.size ?? 0) > 0 && (
            <line
              x1={x(at) + (slot - bar) / 2 - 1}
              x2={x(at) + (slot + bar) / 2 + 1}
              y1={y(before[at]?.size ?? 0)}
              y2={y(before[at]?.size ?? 0)}
              className="stroke-fg-2"
              strokeOpacity="0.6"
              strokeWidth="1.5"
            />
          )}
          {at % every === 0 && (
            <text x={x(at) + slot / 2} y={height - 4} textAnchor="middle" className="fill-fg-3 text-2xs">
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
  /** A day that is not over. */
  faint: boolean;
}

function Stack({ plot: { x, y, slot, bar }, series, at, faint }: StackProps) {
  let base = 0;
  return (
    <g className={faint ? 'opacity-60' : undefined}>
      {series.map(({ key, colour, days }) => {
        const { size } = days[at] ?? { size: 0 };
        const from = base;
        base += size;
        if (size <= 0) return null;
        const height = Math.max(1, y(from) - y(base) - (from > 0 ? 1 : 0));
        return (
          <rect
            key={key}
            x={x(at) + (slot - bar) / 2}
            y={y(base)}
            width={bar}
            height={height}
            rx={Math.min(2, bar / 4)}
            className={`series ${bars[colour]}`}
          />
        );
      })}
    </g>
  );
}

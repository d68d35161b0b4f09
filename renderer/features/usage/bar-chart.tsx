import { type KeyboardEvent, useState } from 'react';
import { useNarrow } from '../../browser/use-media.ts';
import { rough, usd, utcDay } from '../../text/format.ts';
import { axisOf, type DayStack } from './series.ts';

/** Bars and the dots of their legend. A failure has the colour of failures, not of the next series. */
const palettes = {
  kinds: {
    bars: ['fill-(--series-1)', 'fill-(--series-2)', 'fill-(--series-3)', 'fill-(--series-4)'],
    dots: ['bg-(--series-1)', 'bg-(--series-2)', 'bg-(--series-3)', 'bg-(--series-4)'],
  },
  outcomes: {
    bars: ['fill-(--series-1)', 'fill-bad', 'fill-(--series-5)'],
    dots: ['bg-(--series-1)', 'bg-bad', 'bg-(--series-5)'],
  },
} as const;
type Palette = keyof typeof palettes;
const bottom = 22;

interface BarChartProps {
  label: string;
  names: readonly string[];
  stacks: readonly DayStack[];
  money: boolean;
  palette: Palette;
}

/** Stacked bars per day. Pointer or arrow keys select a day, whose values stand below. */
export function BarChart({ label, names, stacks, money, palette }: BarChartProps) {
  const [chosen, setChosen] = useState(stacks.length - 1);
  const at = Math.min(chosen, stacks.length - 1);
  const day = stacks[at];
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: stacks.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(stacks.length - 1, next)));
  };
  const said = day ? `${utcDay(day.day)}: ${names.map((name, part) => `${name} ${day.words[part]}`).join(', ')}` : '';
  return (
    <figure className="m-0">
      <div
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={stacks.length}
        aria-valuenow={at + 1}
        aria-valuetext={said}
        onKeyDown={onKeyDown}
        className="rounded-menu"
      >
        <Bars stacks={stacks} chosen={at} money={money} colours={palettes[palette].bars} onChoose={setChosen} />
      </div>
      <figcaption className="flex min-h-8 flex-wrap items-center gap-x-5 gap-y-1 pt-2 tabular-nums">
        <span className="w-14 font-semibold">{day && utcDay(day.day)}</span>
        {names.map((name, part) => (
          <span key={name} className="flex items-center gap-1.5">
            <span className={`series size-2.5 rounded-[3px] ${palettes[palette].dots[part]}`} aria-hidden />
            {name} <span className="text-fg-2">{day?.words[part]}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

interface BarsProps {
  stacks: readonly DayStack[];
  chosen: number;
  money: boolean;
  colours: readonly string[];
  onChoose: (at: number) => void;
}

function Bars({ stacks, chosen, money, colours, onChoose }: BarsProps) {
  // Rendered at its display size, so that labels stay readable.
  const narrow = useNarrow();
  const [width, height] = narrow ? [400, 200] : [936, 240];
  const { top, steps } = axisOf(Math.max(0, ...stacks.map((stack) => stack.sum)));
  const words = steps.map((step) => (money ? axisUsd(step) : rough(step)));
  // Width of the longest label, estimated by digits.
  const left = 14 + 7 * Math.max(...words.map((word) => word.length));
  const plot = height - bottom - 8;
  const y = (value: number) => 8 + plot - (value / top) * plot;
  const slot = (width - left) / stacks.length;
  const bar = Math.max(2, Math.min(24, slot * 0.74));
  const every = Math.ceil(stacks.length / (narrow ? 4 : 7));
  return (
    <svg viewBox={`0 0 ${width} ${height}`} className="block h-auto w-full" aria-hidden="true">
      {steps.map((step, index) => (
        <g key={step}>
          <line x1={left} x2={width} y1={y(step)} y2={y(step)} className="stroke-line" strokeWidth="1" />
          <text x={left - 8} y={y(step) + 4} textAnchor="end" className="fill-fg-3 text-2xs">
            {words[index]}
          </text>
        </g>
      ))}
      {stacks.map((stack, at) => {
        const x = left + at * slot;
        let base = 0;
        return (
          <g key={stack.day}>
            {at === chosen && <rect x={x} y={8} width={slot} height={plot} rx="4" className="fill-hover" />}
            {stack.parts.map((part, series) => {
              const from = base;
              base += part;
              if (part <= 0) return null;
              const barHeight = Math.max(1, y(from) - y(base) - (from > 0 ? 1 : 0));
              return (
                <rect
                  key={colours[series]}
                  x={x + (slot - bar) / 2}
                  y={y(base)}
                  width={bar}
                  height={barHeight}
                  rx="2"
                  className={`series ${colours[series]}`}
                />
              );
            })}
            {at % every === 0 && (
              <text x={x + slot / 2} y={height - 4} textAnchor="middle" className="fill-fg-3 text-2xs">
                {utcDay(stack.day)}
              </text>
            )}
            <rect
              x={x}
              y={0}
              width={slot}
              height={height}
              className="fill-transparent"
              onPointerEnter={() => onChoose(at)}
            />
          </g>
        );
      })}
    </svg>
  );
}

/** Axis steps are round, so nine decimals hold them exactly. */
const axisUsd = (step: number): string => usd(step.toFixed(9).replace(/0+$/, '').replace(/\.$/, ''));

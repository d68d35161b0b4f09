import type { ReactNode } from 'react';
import { parseUsdPerToken } from '#shared/money.ts';
import type { PriceHistory } from '#shared/wire/price.ts';
import { text } from '../../text/models-text.ts';
import { isoDay } from './price-facts.tsx';

const { details } = text;
const [width, height, foot] = [370, 110, 18];
const dayMs = 86_400_000;
/** How many days are drawn before the first and after the last change. */
const marginDays = 45;

interface PriceStepsProps {
  rows: PriceHistory['data'];
  /** `YYYY-MM-DD`. */
  today: string;
}

/** Input and output prices as steps over time. Future prices are dashed. The table below has the figures. */
export function PriceSteps({ rows, today }: PriceStepsProps) {
  const days = rows.flatMap(({ from }) => (from === null ? [] : [Date.parse(from)]));
  const now = Date.parse(today);
  const first = Math.min(...days, now) - marginDays * dayMs;
  const last = Math.max(...days, now) + marginDays * dayMs;
  const x = (time: number) => ((time - first) / (last - first)) * width;
  // Floats are used only for pixels.
  const priced = rows.map(({ from, pricing }) => ({
    from: from === null ? first : Date.parse(from),
    input: pricing && Number(parseUsdPerToken(pricing.prompt)),
    output: pricing && Number(parseUsdPerToken(pricing.completion)),
  }));
  const top = Math.max(1, ...priced.flatMap(({ input, output }) => [input ?? 0, output ?? 0]));
  const y = (price: number) => 6 + (1 - price / top) * (height - foot - 12);
  const line = (name: 'input' | 'output', colour: string): ReactNode =>
    priced.map((row, index) => {
      const price = row[name];
      if (price === null) return null;
      const until = priced[index + 1]?.from ?? last;
      const next = priced[index + 1]?.[name];
      const path = `M${x(row.from)} ${y(price)}H${x(until)}${next == null ? '' : `V${y(next)}`}`;
      return (
        <path
          key={`${name}${row.from}`}
          d={path}
          fill="none"
          strokeWidth="2"
          strokeDasharray={row.from > now ? '4 3' : undefined}
          className={colour}
        />
      );
    });
  return (
    <figure className="m-0 mb-1">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        className="block h-auto w-full"
        role="img"
        aria-label={details.historyChart}
      >
        <line x1="0" x2={width} y1={height - foot} y2={height - foot} className="stroke-line" />
        <line x1={x(now)} x2={x(now)} y1="0" y2={height - foot} className="stroke-line" strokeDasharray="2 2" />
        <text x={x(now)} y={height - 5} textAnchor="middle" className="fill-fg-3 text-2xs">
          {details.today}
        </text>
        {days.map((time) => (
          <text
            key={time}
            x={x(time)}
            y={height - 5}
            textAnchor="middle"
            className="fill-fg-3 text-2xs"
            // There's no space for another label next to "today".
            visibility={Math.abs(x(time) - x(now)) < 70 ? 'hidden' : undefined}
          >
            {isoDay(new Date(time).toISOString().slice(0, 10))}
          </text>
        ))}
        {line('input', 'stroke-(--series-1)')}
        {line('output', 'stroke-(--series-2)')}
      </svg>
      <figcaption className="flex gap-4 text-fg-2 text-xs">
        {[[details.input, 'bg-(--series-1)'] as const, [details.completion, 'bg-(--series-2)'] as const].map(
          ([name, colour]) => (
            <span key={name} className="flex items-center gap-1.5">
              <span className={`series size-2.5 rounded-[3px] ${colour}`} aria-hidden />
              {name}
            </span>
          ),
        )}
      </figcaption>
    </figure>
  );
}

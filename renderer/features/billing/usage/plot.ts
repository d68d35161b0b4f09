import { rough, usd } from '../../../text/format.ts';
import { getAxis, type Series } from './series.ts';

const [top, bottom] = [8, 22];

interface PlotInput {
  readonly days: number;
  readonly sums: Series['days'];
  readonly before: Series['days'] | null;
  readonly money: boolean;
  readonly narrow: boolean;
}

export type Plot = ReturnType<typeof getPlot>;

/** Computes the chart's geometry in SVG units. The chart is drawn at its real size, so that labels stay readable. */
export function getPlot({ days, sums, before, money, narrow }: PlotInput) {
  const [width, height] = narrow ? [400, 200] : [936, 240];
  const largest = Math.max(0, ...[...sums, ...(before ?? [])].map(({ size }) => size));
  const axis = getAxis(largest, !money);
  const ticks = axis.steps.map((step) => ({ step, words: money ? axisUsd(step) : rough(step) }));
  // The width of the longest label, estimated from its number of characters.
  const left = 14 + 7 * Math.max(...ticks.map(({ words }) => words.length));
  const plotHeight = height - bottom - top;
  const slot = (width - left) / days;
  const y = (value: number) => top + plotHeight - (value / axis.top) * plotHeight;
  return {
    width,
    height,
    left,
    top,
    plotHeight,
    slot,
    ticks,
    y,
    bar: Math.max(2, Math.min(28, slot * 0.74)),
    /** Every n-th day has a label. */
    every: Math.ceil(days / (narrow ? 4 : 7)),
    x: (day: number) => left + day * slot,

    /** Returns the day at a point, and the index of the series whose bar is there, or nulls. */
    at(x: number, atY: number, series: readonly Series[]): { day: number | null; series: number | null } {
      const day = Math.floor((x - left) / slot);
      if (day < 0 || day >= days) return { day: null, series: null };
      const value = ((top + plotHeight - atY) / plotHeight) * axis.top;
      let base = 0;
      const hit = series.findIndex(({ days: values }) => {
        const from = base;
        base += values[day]?.size ?? 0;
        return value >= from && value < base;
      });
      return { day, series: hit === -1 ? null : hit };
    },
  };
}

/** Axis steps are round, so nine decimals represent them exactly. */
const axisUsd = (step: number): string => usd(step.toFixed(9).replace(/0+$/, '').replace(/\.$/, ''));

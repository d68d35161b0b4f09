import { cpus } from 'node:os';
import type { Ratios } from '../kept-results.ts';
import { floor } from './contenders.ts';
import { type Comparison, type FigureName, type Figures, figureNames, figures } from './figures.ts';
import type { GatewayRecord } from './gateway-bench.ts';
import { type Spread, spreadOf } from './statistics.ts';

export interface Report {
  readonly names: readonly string[];
  /** Over all its slices; null where it has no such figure. */
  spread(contender: string, figure: FigureName): Spread | null;
  /** Of the floor's figure in the slice next to it. */
  ratio(contender: string, figure: FigureName): Spread | null;
}

/** Elsewhere the floor ran beside everybody under the same load, and all those slices are its own. */
const ownLoad = new Set<FigureName>(['halfLoadPerSecond', 'halfLoadP50Ms', 'halfLoadP99Ms']);

export function reportOf({ comparisons }: GatewayRecord): Report {
  const of = (contender: string) => comparisons.filter((comparison) => comparison.contender === contender);
  const spread = (values: (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined && Number.isFinite(value)) as number[];
    return known.length > 0 ? spreadOf(known) : null;
  };
  const quotient = (figure: FigureName, { own, meter }: Comparison) => {
    const [value, of] = [own[figure], meter[figure] ?? 0];
    // Where the machine was so busy that the floor took less than nothing, a ratio would say nothing either.
    return value === undefined || of <= 0 ? undefined : value / of;
  };
  return {
    names: [...new Set(comparisons.map(({ contender }) => contender))],
    spread: (contender, figure) =>
      contender === floor && !ownLoad.has(figure)
        ? spread(comparisons.map(({ meter }) => meter[figure]))
        : spread(of(contender).map(({ own }) => own[figure])),
    ratio: (contender, figure) => spread(of(contender).map((comparison) => quotient(figure, comparison))),
  };
}

/** The floor has none of them, or next to none, or is asked for as many. */
const absolute = new Set<FigureName>([
  'databaseCpuPerRequestUs',
  'mbPerStalledClient',
  'halfLoadPerSecond',
  'incomplete',
]);

/** Two tables to read: what was measured, and how it compares with the floor. */
export function tablesOf(record: GatewayRecord): string {
  const report = reportOf(record);
  const others = report.names.filter((name) => name !== floor);
  const ratios = figureNames.filter((name) => !absolute.has(name));
  const { before, after } = record.load;
  return [
    `gateway: median, lowest to highest of ${rounds(record)} (${cpus().length} cores, load average ${before.toFixed(2)} before, ${after.toFixed(2)} after)`,
    aligned(
      figureNames.map((name) =>
        row(name, report.names, (who) => shown(report.spread(who, name), figures[name].digits)),
      ),
      ['', ...report.names],
    ),
    `times ${floor}'s figure in the slice next to it`,
    aligned(
      ratios.map((name) => row(name, others, (who) => shown(report.ratio(who, name), 2))),
      ['', ...others],
    ),
  ].join('\n');
}

/** What a run is held to: processor time, since what passes on the clock tells what else the machine does as well. */
const checked = ['cpuPerRequestUs', 'cpuPerFlatEventUs'] as const satisfies readonly FigureName[];

export function checkedRatios(report: Report): Ratios {
  const own = report.names.filter((name) => name.startsWith('portico'));
  const found = own.flatMap((who) =>
    checked.map((name) => [`${who}: ${figures[name].label}`, report.ratio(who, name)] as const),
  );
  return Object.fromEntries(found.flatMap(([name, ratio]) => (ratio ? [[name, ratio]] : [])));
}

/** Everything that was measured, and what it comes to, to be compared with another run. */
export function jsonOf(record: GatewayRecord) {
  const report = reportOf(record);
  const each = (read: Report['spread']) =>
    Object.fromEntries(
      report.names.map((who) => [who, Object.fromEntries(figureNames.map((name) => [name, read(who, name)]))]),
    );
  return {
    measured: new Date().toISOString(),
    node: process.version,
    processor: cpus()[0]?.model ?? null,
    cores: cpus().length,
    load: record.load,
    figures: each(report.spread),
    ratios: each(report.ratio),
    slices: record.comparisons as readonly { own: Figures; meter: Figures }[],
  };
}

const rounds = ({ comparisons }: GatewayRecord) => {
  const count = new Set(comparisons.map(({ round }) => round)).size;
  return count === 1 ? 'one round' : `${count} rounds`;
};

const row = (name: FigureName, names: readonly string[], cell: (who: string) => string) => [
  figures[name].label,
  ...names.map(cell),
];

function shown(spread: Spread | null, digits: number): string {
  if (!spread) return '–';
  const [middle, low, high] = [spread.median, spread.lowest, spread.highest].map((value) => value.toFixed(digits));
  return low === high ? `${middle}` : `${middle} ${low}–${high}`;
}

function aligned(rows: readonly string[][], head: readonly string[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return `${lines.map((line) => line.map(pad).join('  ')).join('\n')}\n`;
}

import { cpus } from 'node:os';
import type { Row } from '../rows.ts';
import { floor } from './contenders.ts';
import { type Comparison, type FigureName, figureNames, figures } from './figures.ts';
import type { GatewayRecord } from './gateway-bench.ts';
import { getSpread, type Spread } from './statistics.ts';

export interface Report {
  readonly names: readonly string[];
  /** Over all its slices; null where it has no such figure. */
  spread(contender: string, figure: FigureName): Spread | null;
  /** Of the floor's figure in the slice next to it. */
  ratio(contender: string, figure: FigureName): Spread | null;
}

/** Elsewhere the floor ran beside everybody under the same load, and all those slices are its own. */
const ownLoad = new Set<FigureName>(['halfLoadPerSecond', 'halfLoadP50Ms', 'halfLoadP99Ms']);

export function getReport({ comparisons }: GatewayRecord): Report {
  const of = (contender: string) => comparisons.filter((comparison) => comparison.contender === contender);
  const spread = (values: (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined && Number.isFinite(value)) as number[];
    return known.length > 0 ? getSpread(known) : null;
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
export function getTables(record: GatewayRecord): string {
  const report = getReport(record);
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
const heldTo = ['cpuPerRequestUs', 'cpuPerFlatEventUs'] as const satisfies readonly FigureName[];

/** Whether a run of these contenders, all where none is named, is held to a row of that name. */
export function isHeldTo(contenders: readonly string[]): (row: string) => boolean {
  return (row) => {
    const figure = heldTo.find((name) => row.endsWith(`: ${figures[name].label}`));
    const who = row.slice(0, row.indexOf(':'));
    return figure !== undefined && who.startsWith('portico') && (contenders.length === 0 || contenders.includes(who));
  };
}

/** What is shown of ours in `docs/bench/README.md`; the rest is kept to be compared. */
const told = new Set<FigureName>([
  ...heldTo,
  'requestsPerSecond',
  'databaseCpuPerRequestUs',
  'addedFirstByteP50Ms',
  'halfLoadP99Ms',
  'kbPerOpenStream',
  'startMs',
]);

/** All that was measured, a row for each figure of each contender. */
export function toRows(record: GatewayRecord): Row[] {
  const report = getReport(record);
  return report.names.flatMap((who) => {
    const of = who.startsWith('portico') ? figureNames.filter((name) => told.has(name)) : [];
    return figureNames.flatMap((name) => {
      const value = report.spread(who, name);
      if (!value) return [];
      const [ratio, meter] = [report.ratio(who, name), report.spread(floor, name)];
      const beside = who !== floor && !absolute.has(name) && ratio && meter;
      return {
        row: `${who}: ${figures[name].label}`,
        unit: '',
        value,
        ...(beside ? { floor: { of: floor, value: meter, ratio } } : {}),
        ...(of.includes(name) ? {} : { aside: true as const }),
      };
    });
  });
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

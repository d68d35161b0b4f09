import { cpus } from 'node:os';
import type { Row } from '../rows.ts';
import { floor } from './contenders.ts';
import { type Comparison, type FigureName, figureNames, figures } from './figures.ts';
import type { GatewayRecord } from './gateway-bench.ts';
import { getSpread, type Spread } from './statistics.ts';

export interface Report {
  readonly names: readonly string[];
  /** The spread over all slices. Null if it has no such figure. */
  spread(contender: string, figure: FigureName): Spread | null;
  /** The ratio to the floor's figure in the adjacent slice. */
  ratio(contender: string, figure: FigureName): Spread | null;
}

/**
 * For all other figures the floor runs next to every contender under the same load, so all these
 * slices count for the floor.
 */
const ownLoad = new Set<FigureName>(['halfLoadPerSecond', 'halfLoadP50Ms', 'halfLoadP99Ms']);

export function getReport({ comparisons }: GatewayRecord): Report {
  const comparisonsFor = (contender: string) => comparisons.filter((comparison) => comparison.contender === contender);
  const spread = (values: (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined && Number.isFinite(value)) as number[];
    return known.length > 0 ? getSpread(known) : null;
  };
  const quotient = (figure: FigureName, { own, meter }: Comparison) => {
    const [value, meterValue] = [own[figure], meter[figure] ?? 0];
    // On a very busy machine the floor's difference can be below zero. A ratio to that would be meaningless.
    return value === undefined || meterValue <= 0 ? undefined : value / meterValue;
  };
  return {
    names: [...new Set(comparisons.map(({ contender }) => contender))],
    spread: (contender, figure) =>
      contender === floor && !ownLoad.has(figure)
        ? spread(comparisons.map(({ meter }) => meter[figure]))
        : spread(comparisonsFor(contender).map(({ own }) => own[figure])),
    ratio: (contender, figure) => spread(comparisonsFor(contender).map((comparison) => quotient(figure, comparison))),
  };
}

/** Figures without a ratio: the floor has none of them, hardly any, or a fixed number. */
const absolute = new Set<FigureName>([
  'databaseCpuPerRequestUs',
  'mbPerStalledClient',
  'halfLoadPerSecond',
  'incomplete',
]);

/** Formats two tables: the measured figures, and their ratios to the floor. */
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

/**
 * The figures that a run can fail on. They are processor time, because elapsed time depends on
 * what else the machine does.
 */
const heldTo = ['cpuPerRequestUs', 'cpuPerFlatEventUs'] as const satisfies readonly FigureName[];

/** Returns a check of whether a run of these contenders (all if empty) can fail on a row of this name. */
export function isHeldTo(contenders: readonly string[]): (row: string) => boolean {
  return (row) => {
    const figure = heldTo.find((name) => row.endsWith(`: ${figures[name].label}`));
    const who = row.slice(0, row.indexOf(':'));
    return figure !== undefined && who.startsWith('portico') && (contenders.length === 0 || contenders.includes(who));
  };
}

/** Our figures that `docs/bench/README.md` shows. The others are stored for comparison only. */
const shownFigures = new Set<FigureName>([
  ...heldTo,
  'requestsPerSecond',
  'databaseCpuPerRequestUs',
  'addedFirstByteP50Ms',
  'halfLoadP99Ms',
  'kbPerOpenStream',
  'startMs',
]);

/** Returns everything that was measured, a row for each figure of each contender. */
export function toRows(record: GatewayRecord): Row[] {
  const report = getReport(record);
  return report.names.flatMap((who) => {
    const shownNames = who.startsWith('portico') ? figureNames.filter((name) => shownFigures.has(name)) : [];
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
        ...(shownNames.includes(name) ? {} : { aside: true as const }),
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

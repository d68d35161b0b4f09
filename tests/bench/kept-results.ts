import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { machine, measuredCommit } from '../support/machine.ts';
import { getPage } from './kept-page.ts';
import type { Row } from './rows.ts';

/** What of a run says how far its ratios may be from those of another. */
export interface KeptRun {
  readonly measured: string;
  /** `measuredCommit`. */
  readonly commit: string;
  readonly machine: string;
  /** Load averages of the last minute, before and after. */
  readonly load: readonly [before: number, after: number];
  readonly ratios: Ratios;
}

/** One bench's results as they are kept in `docs/bench/`: the rows that were measured last, and the runs that they were measured in. */
export interface KeptResult {
  /** Newest first. */
  readonly runs: readonly KeptRun[];
  readonly rows: readonly Row[];
}

/** Medians of how many times its floor a row was, by its name; lower is better. */
export type Ratios = Readonly<Record<string, number>>;

const maxRuns = 8;
/** How far a ratio may be above all that is kept: as far as these are apart, within what is known of short runs (docs/decisions/086). */
const [minNoise, maxNoise] = [1.5, 2];

const root = fileURLToPath(new URL('../../', import.meta.url));
export const keptFolder = `${root}docs/bench/`;

/** Puts a run before those that are kept, its rows in place of theirs, and writes the page that shows them. */
export function keep(bench: string, rows: readonly Row[], loadBefore: number): void {
  const run = {
    measured: new Date().toISOString(),
    commit: measuredCommit(root),
    machine: machine(),
    load: [loadBefore, loadavg()[0] ?? Number.NaN].map((load) => Number(load.toFixed(2))) as [number, number],
    ratios: getRatios(rows),
  };
  mkdirSync(keptFolder, { recursive: true });
  const file = `${keptFolder}${bench}.json`;
  writeFileSync(file, getText(withRun(existsSync(file) ? kept(bench) : { runs: [], rows: [] }, run, rows)));
  writeFileSync(`${keptFolder}README.md`, getPage(allKept()));
}

/** A row that this run did not measure stays as it was measured before. */
export function withRun(before: KeptResult, run: KeptRun, rows: readonly Row[]): KeptResult {
  const measured = new Set(rows.map(({ row }) => row));
  return {
    runs: [run, ...before.runs].slice(0, maxRuns),
    rows: [...before.rows.filter(({ row }) => !measured.has(row)), ...rows],
  };
}

/** The result that is kept. Throws where there is none. */
export const kept = (bench: string): KeptResult => JSON.parse(readFileSync(`${keptFolder}${bench}.json`, 'utf8'));

export const allKept = (): ReadonlyMap<string, KeptResult> =>
  new Map(
    readdirSync(keptFolder)
      .filter((name) => name.endsWith('.json'))
      .toSorted()
      .map((name) => [name.slice(0, -5), kept(name.slice(0, -5))]),
  );

/**
 * What is worse than in all runs that were kept by more than noise, a sentence each. `asked`: the rows that this run was to measure, and one
 * that it did not is told as well.
 */
export function worseThan(
  { runs }: Pick<KeptResult, 'runs'>,
  now: readonly Row[],
  asked: (row: string) => boolean,
): readonly string[] {
  const names = new Set(runs.flatMap(({ ratios }) => Object.keys(ratios)).filter(asked));
  return [...names].flatMap((name) => {
    const was = runs.flatMap(({ ratios }) => ratios[name] ?? []);
    const [lowest, highest] = [Math.min(...was), Math.max(...was)];
    const noise = Math.max(minNoise, Math.min(maxNoise, highest / lowest));
    const told = `${two(lowest)} to ${two(highest)} × in ${was.length} kept ${was.length === 1 ? 'run' : 'runs'}`;
    const is = now.find(({ row }) => row === name)?.floor?.ratio;
    if (!is) return [`${name}: not measured, was ${told}`];
    const limit = highest * noise;
    return is.lowest <= limit ? [] : [`${name}: ${two(is.lowest)} ×, was ${told} (worse is above ${two(limit)})`];
  });
}

export const getRatios = (rows: readonly Row[]): Ratios =>
  Object.fromEntries(rows.flatMap(({ row, floor }) => (floor ? [[row, rounded(floor.ratio.median)]] : [])));

/** One line for each row and run, so that two results can be compared by eye. */
function getText({ runs, rows }: KeptResult): string {
  const lines = (all: readonly unknown[]) => all.map((one) => `    ${JSON.stringify(one, digits)}`).join(',\n');
  return `{\n  "runs": [\n${lines(runs)}\n  ],\n  "rows": [\n${lines(rows)}\n  ]\n}\n`;
}

const digits = (_key: string, value: unknown) => (typeof value === 'number' ? rounded(value) : value);
const rounded = (value: number) => Number(value.toPrecision(4));
const two = (value: number) => value.toFixed(2);

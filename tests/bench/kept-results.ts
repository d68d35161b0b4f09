import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { machine, measuredCommit } from '../support/machine.ts';
import { getPage } from './kept-page.ts';
import type { Row } from './rows.ts';

/** One run of a bench, with what shows how much its ratios may differ from another run's. */
export interface StoredRun {
  readonly measured: string;
  /** The commit, from `measuredCommit`. */
  readonly commit: string;
  readonly machine: string;
  /** Load averages of the last minute, before and after. */
  readonly load: readonly [before: number, after: number];
  readonly ratios: Ratios;
}

/** One bench's stored results in `docs/bench/`: the latest rows, and the runs in which they were measured. */
export interface StoredResult {
  /** The runs, newest first. */
  readonly runs: readonly StoredRun[];
  readonly rows: readonly Row[];
}

/** For each row, the median of its ratios to the floor. Lower is better. */
export type Ratios = Readonly<Record<string, number>>;

const maxRuns = 8;
/**
 * How far a ratio may be above all stored ones: as far as these differ, within the known noise of short
 * runs (docs/decisions/086).
 */
const [minNoise, maxNoise] = [1.5, 2];

const root = fileURLToPath(new URL('../../', import.meta.url));
export const resultsFolder = `${root}docs/bench/`;

/** Stores a run in front of earlier ones, replaces its rows, and writes the page that shows them. */
export function keep(bench: string, rows: readonly Row[], loadBefore: number): void {
  const run = {
    measured: new Date().toISOString(),
    commit: measuredCommit(root),
    machine: machine(),
    load: [loadBefore, loadavg()[0] ?? Number.NaN].map((load) => Number(load.toFixed(2))) as [number, number],
    ratios: getRatios(rows),
  };
  mkdirSync(resultsFolder, { recursive: true });
  const file = `${resultsFolder}${bench}.json`;
  writeFileSync(file, getText(withRun(existsSync(file) ? readStored(bench) : { runs: [], rows: [] }, run, rows)));
  writeFileSync(`${resultsFolder}README.md`, getPage(readAllStored()));
}

/** A row that this run didn't measure stays unchanged. */
export function withRun(before: StoredResult, run: StoredRun, rows: readonly Row[]): StoredResult {
  const measured = new Set(rows.map(({ row }) => row));
  return {
    runs: [run, ...before.runs].slice(0, maxRuns),
    rows: [...before.rows.filter(({ row }) => !measured.has(row)), ...rows],
  };
}

/** Reads a bench's stored result. Throws if there is none. */
export const readStored = (bench: string): StoredResult =>
  JSON.parse(readFileSync(`${resultsFolder}${bench}.json`, 'utf8'));

export const readAllStored = (): ReadonlyMap<string, StoredResult> =>
  new Map(
    readdirSync(resultsFolder)
      .filter((name) => name.endsWith('.json'))
      .toSorted()
      .map((name) => [name.slice(0, -5), readStored(name.slice(0, -5))]),
  );

/**
 * Describes each row that is worse than in all stored runs by more than noise. `asked` decides which rows this run
 * should have measured; a missing one is reported, too.
 */
export function worseThan(
  { runs }: Pick<StoredResult, 'runs'>,
  now: readonly Row[],
  asked: (row: string) => boolean,
): readonly string[] {
  const names = new Set(runs.flatMap(({ ratios }) => Object.keys(ratios)).filter(asked));
  return [...names].flatMap((name) => {
    const was = runs.flatMap(({ ratios }) => ratios[name] ?? []);
    const [lowest, highest] = [Math.min(...was), Math.max(...was)];
    const noise = Math.max(minNoise, Math.min(maxNoise, highest / lowest));
    const earlier = `${two(lowest)} to ${two(highest)} × in ${was.length} kept ${was.length === 1 ? 'run' : 'runs'}`;
    const is = now.find(({ row }) => row === name)?.floor?.ratio;
    if (!is) return [`${name}: not measured, was ${earlier}`];
    const limit = highest * noise;
    return is.lowest <= limit ? [] : [`${name}: ${two(is.lowest)} ×, was ${earlier} (worse is above ${two(limit)})`];
  });
}

export const getRatios = (rows: readonly Row[]): Ratios =>
  Object.fromEntries(rows.flatMap(({ row, floor }) => (floor ? [[row, rounded(floor.ratio.median)]] : [])));

/** Writes one line for each row and run, so that two results can be compared by eye. */
function getText({ runs, rows }: StoredResult): string {
  const lines = (all: readonly unknown[]) => all.map((item) => `    ${JSON.stringify(item, digits)}`).join(',\n');
  return `{\n  "runs": [\n${lines(runs)}\n  ],\n  "rows": [\n${lines(rows)}\n  ]\n}\n`;
}

const digits = (_key: string, value: unknown) => (typeof value === 'number' ? rounded(value) : value);
const rounded = (value: number) => Number(value.toPrecision(4));
const two = (value: number) => value.toFixed(2);

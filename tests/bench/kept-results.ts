import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machine, measuredCommit } from '../support/machine.ts';
import type { Spread } from './gateway/statistics.ts';

/** One bench's results as they are kept in `docs/bench/`: what was measured, of which sources, and where. */
export interface KeptResult {
  readonly measured: string;
  /** `measuredCommit`. */
  readonly commit: string;
  readonly machine: string;
  /** Load averages of the last minute, before and after. */
  readonly load: readonly [before: number, after: number];
  /** Times a floor's figure that was measured in the same run, for what is checked. */
  readonly ratios: Ratios;
  /** All that the bench tells. */
  readonly figures: unknown;
}

/** By the name of what was measured; lower is better. */
export type Ratios = Readonly<Record<string, Spread>>;

/**
 * How far a ratio may be from all that was kept before it counts as worse. Ratios of short runs on busy machines differ by up to a
 * third from run to run (docs/decisions/086).
 */
const noise = 1.5;

const root = fileURLToPath(new URL('../../', import.meta.url));
const fileOf = (bench: string) => `${root}docs/bench/${bench}.json`;

export function keep(bench: string, result: Pick<KeptResult, 'ratios' | 'figures'> & { loadBefore: number }): void {
  const { loadBefore, ...measured } = result;
  const kept: KeptResult = {
    measured: new Date().toISOString(),
    commit: measuredCommit(root),
    machine: machine(),
    load: [loadBefore, loadavg()[0] ?? Number.NaN],
    ...measured,
  };
  mkdirSync(dirname(fileOf(bench)), { recursive: true });
  writeFileSync(fileOf(bench), `${JSON.stringify(kept, null, 2)}\n`);
}

/** The result that is kept. Throws where there is none. */
export const kept = (bench: string): KeptResult => JSON.parse(readFileSync(fileOf(bench), 'utf8'));

/** What is worse than what was kept by more than noise, a sentence each. A ratio that is not measured any more is one as well. */
export function worseThan(before: Ratios, now: Ratios): readonly string[] {
  return Object.entries(before).flatMap(([name, was]) => {
    const is = now[name];
    if (!is) return [`${name}: not measured, was ${spelled(was)} ×`];
    if (is.lowest <= was.highest * noise) return [];
    return [`${name}: ${spelled(is)} ×, was ${spelled(was)} × (worse is more than ${noise} times that)`];
  });
}

const spelled = ({ lowest, highest }: Spread) =>
  lowest === highest ? lowest.toFixed(2) : `${lowest.toFixed(2)}–${highest.toFixed(2)}`;

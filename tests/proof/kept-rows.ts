import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { machine, measuredCommit } from '../support/machine.ts';
import { type Judged, shownBy, type Verdict } from './verdicts.ts';

export type Form = 'short' | 'long';

/** What a row's tests showed the last time that they ran in a form. */
export interface KeptRow {
  readonly verdict: Verdict;
  readonly shown: string;
  readonly seed: number;
  /** `measuredCommit`. */
  readonly commit: string;
  /** `2026-11-25`, UTC. */
  readonly date: string;
  readonly machine: string;
}

/** By the name of the row. Rows that no run has shown in a form are not there. */
export type Kept = Readonly<Record<Form, Readonly<Record<string, KeptRow>>>>;

/** Puts what a run has shown in place of what an earlier one has. What did not run leaves what there was. */
export function keepRows(
  path: string,
  judged: readonly Judged[],
  run: { readonly form: Form; readonly seed: number; readonly root: string },
): Kept {
  const kept: Kept = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { short: {}, long: {} };
  const source = {
    seed: run.seed,
    commit: measuredCommit(run.root),
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
  };
  const rows: Record<string, KeptRow> = { ...kept[run.form] };
  for (const one of judged) {
    // Where the two forms are the same, there is one result.
    const isOfForm = run.form === 'short' || one.row.long !== undefined;
    if (isOfForm && one.verdict !== 'not shown')
      rows[one.name] = { verdict: one.verdict, shown: shownBy(one), ...source };
  }
  const next = { ...kept, [run.form]: rows };
  writeFileSync(path, `${JSON.stringify(next, null, 2)}\n`);
  return next;
}

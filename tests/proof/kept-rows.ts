import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { machine, measuredCommit } from '../support/machine.ts';
import { type Judged, shownBy, type Verdict } from './verdicts.ts';

export type Form = 'short' | 'long';

/** What a row's tests showed when they last ran in this form. */
export interface StoredRow {
  readonly verdict: Verdict;
  readonly shown: string;
  readonly seed: number;
  /** The commit, from `measuredCommit`. */
  readonly commit: string;
  /** The day in UTC, such as `2026-11-25`. */
  readonly date: string;
  readonly machine: string;
}

/** The results by form and name of the row. A row that no run has shown in a form is missing there. */
export type StoredRows = Readonly<Record<Form, Readonly<Record<string, StoredRow>>>>;

/** Replaces earlier results with those of this run. Rows that didn't run keep theirs. */
export function keepRows(
  path: string,
  judged: readonly Judged[],
  run: { readonly form: Form; readonly seed: number; readonly root: string },
): StoredRows {
  const stored: StoredRows = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { short: {}, long: {} };
  const source = {
    seed: run.seed,
    commit: measuredCommit(run.root),
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
  };
  const rows: Record<string, StoredRow> = { ...stored[run.form] };
  for (const judgement of judged) {
    // If both forms are the same, the result is stored only as the short one.
    const isOfForm = run.form === 'short' || judgement.row.long !== undefined;
    if (isOfForm && judgement.verdict !== 'not shown')
      rows[judgement.name] = { verdict: judgement.verdict, shown: shownBy(judgement), ...source };
  }
  const next = { ...stored, [run.form]: rows };
  writeFileSync(path, `${JSON.stringify(next, null, 2)}\n`);
  return next;
}

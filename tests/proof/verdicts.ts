import type { Result } from './results.ts';
import type { Row } from './rows.ts';

/**
 * `in part`: everything that ran passed, and the row describes what it doesn't show. `not shown`: some of
 * its tests didn't run here.
 */
export type Verdict = 'holds' | 'in part' | 'not shown' | 'fails';

export interface Judged {
  readonly name: string;
  readonly row: Row;
  readonly verdict: Verdict;
  readonly passed: number;
  readonly failed: readonly Result[];
  readonly skipped: number;
  /** Clauses that the tests themselves recorded. */
  readonly figures: readonly string[];
}

export function judge(name: string, row: Row, results: readonly Result[], figures: readonly string[]): Judged {
  const own = row.tests.map((test) => results.filter((result) => belongs(result, test)));
  const failed = own.flat().filter(({ status }) => status === 'failed');
  const skipped = own.flat().filter(({ status }) => status === 'skipped').length;
  const passed = own.flat().filter(({ status }) => status === 'passed').length;
  const absent = own.some((results) => results.every(({ status }) => status === 'skipped'));
  const verdict =
    failed.length > 0 ? 'fails' : absent || own.length === 0 ? 'not shown' : row.open ? 'in part' : 'holds';
  return { name, row, verdict, passed, failed, skipped, figures };
}

function belongs({ file, name }: Result, test: string): boolean {
  const [path, words] = test.split('#');
  return file === path && (words === undefined || name.includes(words));
}

/** Formats what a row has shown, in one line. */
export function shownBy({ figures, passed, failed, skipped }: Judged): string {
  const counts = `${passed} ${passed === 1 ? 'test' : 'tests'}${failed.length ? `, ${failed.length} failed` : ''}${skipped ? `, ${skipped} skipped` : ''}`;
  return [...figures, counts].join('; ');
}

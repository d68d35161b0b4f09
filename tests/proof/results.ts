import { existsSync, readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';

/** One test as a suite has reported it. */
export interface Result {
  /** The path from the project's root, with slashes. */
  readonly file: string;
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

interface PlaywrightSuite {
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs?: readonly {
    readonly file: string;
    readonly title: string;
    readonly tests: readonly { readonly status: 'expected' | 'unexpected' | 'flaky' | 'skipped' }[];
  }[];
}

/** Returns the tests in a suite's report. Without a report there are none, because they didn't run. */
export function getResults(report: string, root: string): Result[] {
  if (!existsSync(report)) return [];
  const json = JSON.parse(readFileSync(report, 'utf8')) as VitestReport | PlaywrightSuite;
  return 'testResults' in json ? ofVitest(json, root) : ofPlaywright(json);
}

function ofVitest({ testResults }: VitestReport, root: string): Result[] {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name).split(sep).join('/');
    const results = assertionResults.map(
      (test): Result => ({ file, name: test.fullName, status: getStatus(test.status) }),
    );
    // A file that couldn't be loaded counts as failed although none of its tests did.
    const broken = status === 'failed' && results.every((result) => result.status !== 'failed');
    return broken ? [...results, { file, name: 'the file', status: 'failed' as const }] : results;
  });
}

const getStatus = (status: string): Result['status'] =>
  status === 'passed' || status === 'failed' ? status : 'skipped';

function ofPlaywright({ suites = [], specs = [] }: PlaywrightSuite): Result[] {
  const own = specs.flatMap(({ file, title, tests }) =>
    tests.map(({ status }): Result => {
      const ended = { expected: 'passed', unexpected: 'failed', flaky: 'failed', skipped: 'skipped' } as const;
      return { file: `tests/e2e/${file}`, name: title, status: ended[status] };
    }),
  );
  return [...own, ...suites.flatMap(ofPlaywright)];
}

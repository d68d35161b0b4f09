import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { resultsOf } from './results.ts';
import { type Row, rows } from './rows.ts';
import { judge } from './verdicts.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test.each(Object.entries<Row>(rows))('%s is shown by tests that exist, or says why not', (_name, { tests, open }) => {
  for (const test of tests) expect(existsSync(new URL(test.split('#')[0] ?? '', `file://${root}`)), test).toBe(true);
  if (tests.length === 0) expect(open).toBeTruthy();
});

const file = 'tests/a.test.ts';
const passed = { file, name: 'kill -9 loses nothing', status: 'passed' } as const;

test('a row holds only where each of its tests has run and passed', () => {
  const row = { goal: 'nothing is lost', tests: [`${file}#kill`] };
  const verdict = (one: Row, results: Parameters<typeof judge>[2]) => judge('row', one, results, []).verdict;
  expect(verdict(row, [passed])).toBe('holds');
  expect(verdict({ ...row, open: 'The heap.' }, [passed])).toBe('in part');
  expect(verdict(row, [])).toBe('not shown');
  expect(verdict(row, [{ ...passed, status: 'skipped' }])).toBe('not shown');
  expect(verdict(row, [{ ...passed, name: 'another' }])).toBe('not shown');
  expect(verdict(row, [passed, { ...passed, status: 'failed' }])).toBe('fails');
  expect(verdict({ ...row, tests: [...row.tests, 'tests/b.test.ts'] }, [passed])).toBe('not shown');
  expect(verdict({ goal: 'more', tests: [] }, [passed])).toBe('not shown');
});

test('a suite without a report has run nothing', () => {
  expect(resultsOf('/nowhere.json', root)).toEqual([]);
});

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { keepRows } from './kept-rows.ts';
import { getPage } from './report.ts';
import { getResults } from './results.ts';
import { type Row, rows } from './rows.ts';
import { judge } from './verdicts.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test.each(Object.entries<Row>(rows))(
  '%s is shown by tests that exist, or explains why not',
  (_name, { tests, open }) => {
    for (const test of tests) expect(existsSync(new URL(test.split('#')[0] ?? '', `file://${root}`)), test).toBe(true);
    if (tests.length === 0) expect(open).toBeTruthy();
  },
);

const file = 'tests/a.test.ts';
const passed = { file, name: 'kill -9 loses nothing', status: 'passed' } as const;

test('a row holds only if each of its tests has run and passed', () => {
  const row = { goal: 'nothing is lost', tests: [`${file}#kill`] };
  const verdict = (candidate: Row, results: Parameters<typeof judge>[2]) =>
    judge('row', candidate, results, []).verdict;
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
  expect(getResults('/nowhere.json', root)).toEqual([]);
});

test('rows that a run did not show keep their earlier result, and the page names the commit of each row', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-proof-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const keep = (form: 'short' | 'long', results: Parameters<typeof judge>[2], figures: readonly string[]) => {
    const judged = ['soak', 'consent'].map((name) =>
      judge(name, { goal: '', tests: [file], ...(name === 'soak' ? { long: 'only there' } : {}) }, results, figures),
    );
    return keepRows(join(folder, 'proof.json'), judged, { form, seed: 7, root });
  };
  const long = keep('long', [passed], ['two hours']);
  expect(long.long).toMatchObject({ soak: { verdict: 'holds', shown: 'two hours; 1 test', seed: 7 } });
  // A row whose forms are the same has no result for the long one.
  expect(long.long).not.toHaveProperty('consent');
  const stored = keep('short', [], []);
  expect(stored).toEqual(long);
  const again = keep('long', [{ ...passed, status: 'failed' }], ['an hour']);
  expect(again.long.soak).toMatchObject({ verdict: 'fails', shown: 'an hour; 0 tests, 1 failed' });
  const page = getPage(again);
  const line = `an hour; 0 tests, 1 failed | fails | ${again.long.soak?.date}, ${again.long.soak?.commit} |`;
  expect(page.split(line)).toHaveLength(3);
  expect(page).toMatch(/\| consent \|.*\| nothing yet \| not shown \|/);
});

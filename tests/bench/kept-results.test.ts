import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { figures } from './gateway/figures.ts';
import { isHeldTo } from './gateway/report.ts';
import { getPage } from './kept-page.ts';
import { readAllStored, resultsFolder, type StoredRun, withRun, worseThan } from './kept-results.ts';
import { type Row, toRow } from './rows.ts';

const measured = (name: string, ...ratios: number[]): Row =>
  toRow({ row: name, unit: 'ms', values: ratios, floor: { of: 'floor', values: ratios.map(() => 1) } });

const runs = (...medians: number[]) => ({
  runs: medians.map(
    (ratio): StoredRun => ({ measured: '', commit: '', machine: '', load: [0, 0], ratios: { 'CPU a request': ratio } }),
  ),
});

test.each<[string, number[], number[], boolean]>([
  ['the same', [3, 3.5, 4], [3], false],
  ['higher by no more than a half', [3, 3.5, 4], [6], false],
  ['higher by more than a half', [3, 3.5, 4], [6.1], true],
  ['higher by more than a half in only some rounds', [3, 3.5, 4], [5.9, 9], false],
  ['higher by less than the stored runs differ', [3, 5.4], [9.7], false],
  ['higher by more than the stored runs differ', [3, 5.4], [9.8], true],
  ['higher than twice the worst of runs that differ much', [1, 5], [10.1], true],
  ['lower', [3, 3.5, 4], [1], false],
])('a ratio that is %s counts as worse only beyond noise: was %j, is %j', (_name, was, is, isWorse) => {
  const worse = worseThan(runs(...was), [measured('CPU a request', ...is)], () => true);
  expect(worse).toEqual(
    isWorse ? [expect.stringMatching(/^CPU a request: .* kept runs \(worse is above [\d.]+\)$/)] : [],
  );
});

test('a row that a run should have measured but did not is reported, except for other contenders', () => {
  expect(worseThan(runs(3, 4), [], () => true)).toEqual([
    'CPU a request: not measured, was 3.00 to 4.00 × in 2 kept runs',
  ]);
  expect(worseThan(runs(3, 4), [], () => false)).toEqual([]);
  const row = (who: string) => `${who}: ${figures.cpuPerRequestUs.label}`;
  const rows = ['portico', 'portico-pg', 'portkey'].map(row);
  expect(rows.filter(isHeldTo(['portico', 'raw-meter']))).toEqual([row('portico')]);
  expect(rows.filter(isHeldTo([]))).toEqual([row('portico'), row('portico-pg')]);
  expect(isHeldTo([])(`portico: ${figures.oneP99Ms.label}`)).toBe(false);
});

test('the newest run comes first, eight are stored, and a row that it did not measure stays', () => {
  const [run] = runs(1).runs;
  if (!run) throw new Error('there is a run');
  const before = { runs: runs(1, 2, 3, 4, 5, 6, 7, 8).runs, rows: [measured('a', 1), measured('b', 1)] };
  const after = withRun(before, { ...run, commit: 'new' }, [measured('b', 2)]);
  expect(after.runs.map(({ commit }) => commit)).toEqual(['new', ...Array(7).fill('')]);
  expect(after.rows).toEqual([measured('a', 1), measured('b', 2)]);
});

test('docs/bench/README.md shows the stored results', () => {
  expect(readFileSync(`${resultsFolder}README.md`, 'utf8')).toBe(getPage(readAllStored()));
});

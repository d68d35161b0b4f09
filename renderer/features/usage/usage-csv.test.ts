import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fakeData } from '../../../tests/support/fake-data.ts';
import { fakeUsage } from '../../../tests/support/fake-ledger.ts';
import { usageCsv } from './usage-csv.ts';

const days = ['2026-11-01', '2026-11-02'];
const report = () => fakeUsage(fakeData(), 'model', Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 3));

/** An independent reader of RFC 4180. */
function read(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

test('each row is a bucket with its exact amounts, under the gateway’s own names', () => {
  const usage = report();
  const [head = [], ...rows] = read(usageCsv(usage, 'model', days));
  expect(head.slice(0, 5)).toEqual(['first_day', 'last_day', 'provider', 'model', 'name']);
  expect(rows).toHaveLength(usage.data.length);
  const at = (name: string) => head.indexOf(name);
  expect(rows.map((row) => [row[at('model')], row[at('cost_usd')], row[at('requests')]])).toEqual(
    usage.data.map(({ model, cost_usd, requests }) => [model, cost_usd, String(requests)]),
  );
});

test('whatever a model is called, a row stays a row and no cell is a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (names) => {
      const [bucket] = report().data;
      if (!bucket) throw new Error('there is no usage');
      const data = names.map((model) => ({ ...bucket, model, name: model }));
      const rows = read(usageCsv({ data }, 'model', days)).slice(1);
      expect(rows.map((row) => row[3]?.replace(/^'(?=[=+\-@\t\r])/, ''))).toEqual(names);
      for (const cell of rows.flatMap((row) => row.slice(2, 5))) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    }),
  );
});

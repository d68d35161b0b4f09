import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { errorKinds } from '#shared/errors.ts';
import { rowsHere } from './contract-rows.ts';
import { rowsElsewhere } from './rows-elsewhere.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..', '..');
const suites = readdirSync(here).filter((name) => name.endsWith('.test.ts') && name !== 'contract-rows.test.ts');
const named = new Set(
  suites.flatMap((name) =>
    [...readFileSync(join(here, name), 'utf8').matchAll(/['`](§\d[^'`]+)['`]/g)].map(([, row = '']) => row),
  ),
);

test('every row of the contract has a test that bears its name', () => {
  expect(rowsHere.filter((row) => !named.has(row))).toEqual([]);
});

test('every test that is named after a row is in the list', () => {
  const templates = (row: string) => row.includes('%s');
  expect([...named].filter((row) => !templates(row) && !rowsHere.includes(row))).toEqual([]);
});

test('every row that is tested in another place still is', () => {
  const missing = Object.entries(rowsElsewhere).filter(
    ([, [file, words]]) => !readFileSync(join(root, file), 'utf8').includes(words),
  );
  expect(missing).toEqual([]);
});

test('every error code of the wire has a row', () => {
  const rows = new Set([...rowsHere, ...Object.keys(rowsElsewhere)]);
  const codes = Object.entries(errorKinds).filter(
    ([code, { type }]) => type !== 'app_error' || code === 'client_closed_request',
  );
  expect(codes.map(([code]) => code).filter((code) => !rows.has(`§3.2 ${code}`))).toEqual([]);
});

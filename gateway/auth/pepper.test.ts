import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadPeppers } from './pepper.ts';

function temporaryDatabase(): string {
  const directory = mkdtempSync(join(tmpdir(), 'portico-pepper-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'books.db');
}

const strong = 'x'.repeat(32);

test('a SQLite database keeps its secret beside it, for its owner only, and finds it again', () => {
  const database = temporaryDatabase();
  const first = loadPeppers(database, {});
  expect(loadPeppers(database, {})).toEqual(first);
  expect(statSync(`${database}.pepper`).mode & 0o777).toBe(0o600);
});

test('a damaged secret is refused instead of replaced', () => {
  const database = temporaryDatabase();
  writeFileSync(`${database}.pepper`, 'short');
  expect(() => loadPeppers(database, {})).toThrow(/too short.*backup/);
});

test('the environment comes first, as a list whose first secret signs', () => {
  const peppers = loadPeppers(':memory:', { PORTICO_KEY_PEPPER: `${strong}, ${'y'.repeat(40)}` });
  expect(peppers.map(String)).toEqual([strong, 'y'.repeat(40)]);
});

test.each(['short', `${strong},short`, `${strong},`])('a weak secret is refused: %j', (value) => {
  expect(() => loadPeppers(':memory:', { PORTICO_KEY_PEPPER: value })).toThrow(/at least 32 characters/);
});

test('PostgreSQL without a secret is refused with what to do', () => {
  expect(() => loadPeppers('postgres://localhost/x', {})).toThrow(/Set PORTICO_KEY_PEPPER/);
});

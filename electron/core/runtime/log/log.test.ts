import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLog } from './log.ts';

function folder(): { readonly data: string; readonly file: string } {
  const data = mkdtempSync(join(tmpdir(), 'portico-log-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const file = join(data, 'logs', 'portico.log');
  mkdirSync(join(data, 'logs'));
  writeFileSync(file, 'x'.repeat(5_000_000));
  return { data, file };
}

test('a full log begins a new file and keeps the previous one', () => {
  const { data, file } = folder();
  openLog(data, () => 0)({ event: 'first' });
  expect(readFileSync(file, 'utf8')).toBe('{"time":"1970-01-01T00:00:00.000Z","event":"first"}\n');
  expect(readFileSync(`${file}.1`, 'utf8')).toHaveLength(5_000_000);
});

test('a full log grows on while the older file cannot be replaced, for example because another program has it open', () => {
  const { data, file } = folder();
  mkdirSync(`${file}.1`);
  writeFileSync(join(`${file}.1`, 'held'), '');
  openLog(data, () => 0)({ event: 'kept' });
  expect(readFileSync(file, 'utf8')).toContain('"event":"kept"');
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import stored from '../scripts/price-verdicts.json' with { type: 'json' };

/** Compares the shipped price book with a second source, on a day for which the result is known. */

const script = fileURLToPath(new URL('../scripts/compare-prices.mjs', import.meta.url));

function compare(verdicts: readonly object[] | null = null) {
  const directory = mkdtempSync(join(tmpdir(), 'portico-verdicts-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'verdicts.json');
  if (verdicts) writeFileSync(file, JSON.stringify({ verdicts }));
  const more = verdicts ? ['--verdicts', file] : [];
  const ran = spawnSync(process.execPath, [script, '2026-11-21', '--json', ...more], { encoding: 'utf8' });
  const { open, reviewed, settled } = JSON.parse(ran.stdout) as { open: number; reviewed: number; settled: string[] };
  return { code: ran.status, open, reviewed, settled };
}

test('every difference between the shipped book and the second source was reviewed, and no verdict is left over', () => {
  expect(compare()).toEqual({ code: 0, open: 0, reviewed: stored.verdicts.length, settled: [] });
});

test('a verdict is about two numbers: if one of them changes, the difference is open again', () => {
  // A price that no row of another day explains.
  const others = stored.verdicts.slice(0, -1);
  const first = stored.verdicts.at(-1);
  const count = others.length;
  expect(compare(others)).toMatchObject({ code: 1, open: 1, reviewed: count });
  expect(compare([{ ...first, theirs: '0.51' }, ...others])).toMatchObject({ code: 1, open: 1, reviewed: count });
  expect(compare([{ ...first, ours: '0.21' }, ...others])).toMatchObject({ code: 1, open: 1, reviewed: count });
});

test('a verdict on a difference that no longer exists is listed', () => {
  const gone = { ...stored.verdicts.at(-1), model: 'openai/gpt-5' };
  expect(compare([...stored.verdicts, gone])).toMatchObject({ code: 0, open: 0, settled: ['openai/gpt-5 cache_read'] });
});

test('every verdict contains its day and its reason', () => {
  for (const { reviewed, reason } of stored.verdicts) {
    expect(reviewed).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(reason.length).toBeGreaterThan(20);
  }
});

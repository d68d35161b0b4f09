import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { figure } from '../support/figures.ts';
import { seeded } from '../support/power-loss.ts';
import { findGuards, type Guard, guardsIn } from './guards.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('a guard is a condition that throws, or a call that refuses, and nothing else', () => {
  const source = `async function one() {
    if (a) throw new AppError('one');
    if (b) { throw refusal('two'); }
    requireActive(principal);
    await this.checkLimit();
    if (c) throw new AppError('no'); else go();
    if (d) { log(); throw refusal('no'); }
    if (f) throw new Error('never');
    if (g) throw error;
    if (e) return;
    const kept = requireKey();
    required();
  }`;
  expect(guardsIn('a.ts', source).map(({ line }) => line)).toEqual([2, 3, 4, 5]);
});

/**
 * Takes guards away, one after the other, in a copy of the sources, and runs the tests beside them, then those of the contract,
 * then all that import them, until one turns red. Minutes to hours: only where `npm run proof` asks. PORTICO_GUARDS, a part of
 * a path, says which; the ordinary run takes some by chance, PORTICO_LONG all.
 */
const asked = process.env.PORTICO_GUARDS;
const runs = asked !== undefined || process.env.PORTICO_FIGURES !== undefined;
const byChance = 6;

describe.runIf(runs)('each guard that is taken away turns a test red', () => {
  const copy = mkdtempSync(join(tmpdir(), 'portico-guards-'));
  const guards = chosen();
  const survived: Guard[] = [];

  beforeAll(() => {
    const { stdout } = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' });
    for (const file of stdout.trim().split('\n')) cpSync(join(root, file), join(copy, file));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  });
  afterAll(() => {
    rmSync(copy, { recursive: true });
    const which = survived.map(({ file, line }) => `${file}:${line}`).join(', ');
    figure(
      'guards removed',
      `${guards.length} taken away, ${guards.length - survived.length} missed by a test${which && `; not missed: ${which}`}`,
    );
  });

  test.each(guards)('$file:$line $text', { timeout: 1_800_000 }, (guard) => {
    const file = join(copy, guard.file);
    const source = readFileSync(file, 'utf8');
    writeFileSync(file, `${source.slice(0, guard.start)};${source.slice(guard.end)}`);
    try {
      const red = [
        ['run', dirname(guard.file)],
        ['run', 'tests/contract', 'authorization-matrix'],
        ['related', '--run', guard.file],
      ].some((words) => isRed(words));
      if (!red) survived.push(guard);
      expect(red, 'no test misses it').toBe(true);
    } finally {
      writeFileSync(file, source);
    }
  });

  function isRed(words: readonly string[]): boolean {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const {
      PORTICO_FIGURES: _figures,
      PORTICO_LONG: _long,
      PORTICO_GUARDS: _guards,
      VITEST: _vitest,
      ...env
    } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [vitest, ...words, '--project', 'node', '--bail', '1', '--passWithNoTests'],
      { cwd: copy, env: { ...env, NO_COLOR: '1' }, encoding: 'utf8' },
    );
    // A runner that could not begin is no test that failed.
    if (status !== 0 && !/^ *Test Files .*\d failed/m.test(stdout)) throw new Error(`${stdout}${stderr}`.slice(-2_000));
    return status !== 0;
  }
});

function chosen(): readonly Guard[] {
  if (!runs) return [];
  const all = findGuards(root).filter(({ file }) => file.includes(asked ?? ''));
  if (asked !== undefined || process.env.PORTICO_LONG) return all;
  const random = seeded(Number(process.env.PORTICO_SEED ?? 1));
  return Array.from({ length: byChance }, () => all[Math.floor(random() * all.length)] as Guard);
}

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { figure } from '../support/figures.ts';
import { seeded } from '../support/power-loss.ts';
import { findGuards, type Guard, guardsIn, nameOf, sayingWhenRefused } from './guards.ts';

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
  const guards = guardsIn('a.ts', source);
  expect(guards.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
  const said = (line: number) => `(globalThis as any).guardRefused?.("a.ts:${line}");`;
  expect(sayingWhenRefused(source, guards).split('\n').slice(1, 5)).toEqual([
    `    if (a) { ${said(2)} throw new AppError('one'); }`,
    `    if (b) { ${said(3)} throw refusal('two'); }`,
    `    try { requireActive(principal); } catch (refused) { ${said(4)} throw refused; }`,
    `    try { await this.checkLimit(); } catch (refused) { ${said(5)} throw refused; }`,
  ]);
});

/**
 * Takes guards away, one after the other, in a copy of the sources, and runs tests until one turns red. PORTICO_GUARDS, a part of a
 * path, says which; the ordinary run takes some by chance, PORTICO_LONG all. Minutes to an hour: only where `npm run proof` asks.
 *
 * The long form first runs all tests once over guards that say when they refuse. A guard that never did is missed by no test, and the
 * others need only the tests that made them refuse. Otherwise it is the tests beside a guard, then those of the contract, then all
 * that import it.
 */
const asked = process.env.PORTICO_GUARDS;
const isLong = process.env.PORTICO_LONG !== undefined && asked === undefined;
const runs = asked !== undefined || process.env.PORTICO_FIGURES !== undefined;
const byChance = 6;
const hourMs = 3_600_000;

describe.runIf(runs)('each guard that is taken away turns a test red', () => {
  const copy = mkdtempSync(join(tmpdir(), 'portico-guards-'));
  const guards = chosen();
  const missed: Guard[] = [];
  const survived: Guard[] = [];
  let refusedIn: ReadonlyMap<string, readonly string[]> | null = null;

  beforeAll(() => {
    const { stdout } = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' });
    for (const file of stdout.trim().split('\n')) cpSync(join(root, file), join(copy, file));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    if (isLong) refusedIn = testsByGuard();
  }, hourMs);
  afterAll(() => {
    rmSync(copy, { recursive: true });
    const which = survived.map(nameOf).join(', ');
    figure(
      'guards removed',
      `${missed.length + survived.length} taken away, ${missed.length} missed by a test${which && `; not missed: ${which}`}`,
    );
  });

  test.each(guards)('$file:$line $text', { timeout: hourMs }, (guard) => {
    const file = join(copy, guard.file);
    const source = readFileSync(file, 'utf8');
    writeFileSync(file, `${source.slice(0, guard.start)};${source.slice(guard.end)}`);
    try {
      const red = runsThatMayMiss(guard).some(isRed);
      (red ? missed : survived).push(guard);
      expect(red, 'no test misses it').toBe(true);
    } finally {
      writeFileSync(file, source);
    }
  });

  function runsThatMayMiss(guard: Guard): readonly (readonly string[])[] {
    if (refusedIn === null)
      return [
        ['run', dirname(guard.file)],
        ['run', 'tests/contract', 'authorization-matrix'],
        ['related', '--run', guard.file],
      ];
    const files = refusedIn.get(nameOf(guard));
    return files ? [['run', ...files]] : [];
  }

  /** The test files in which each guard refuses. */
  function testsByGuard(): ReadonlyMap<string, readonly string[]> {
    const byFile = Map.groupBy(guards, ({ file }) => file);
    const originals = [...byFile].map(([file, of]) => {
      const source = readFileSync(join(copy, file), 'utf8');
      writeFileSync(join(copy, file), sayingWhenRefused(source, of));
      return [file, source] as const;
    });
    const refusals = join(copy, 'refusals');
    const noting = `--import=${join(copy, 'tests/proof/note-refusals.ts')}`;
    const { stdout, stderr } = vitest(['run'], {
      PORTICO_REFUSALS: refusals,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${noting}`,
    });
    for (const [file, source] of originals) writeFileSync(join(copy, file), source);
    if (!existsSync(refusals)) throw new Error(`no guard said that it refused: ${`${stdout}${stderr}`.slice(-2_000)}`);
    const noted = readFileSync(refusals, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { guard: string; test: string | null });
    const known = noted.flatMap(({ guard, test: file }) => (file === null ? [] : [{ guard, file }]));
    return new Map(
      [...Map.groupBy(known, ({ guard }) => guard)].map(([guard, found]) => [guard, found.map(({ file }) => file)]),
    );
  }

  function isRed(words: readonly string[]): boolean {
    const { status, stdout, stderr } = vitest([...words, '--bail', '1', '--passWithNoTests'], {});
    // A runner that could not begin is no test that failed.
    if (status !== 0 && !/^ *Test Files .*\d failed/m.test(stdout)) throw new Error(`${stdout}${stderr}`.slice(-2_000));
    return status !== 0;
  }

  function vitest(words: readonly string[], more: NodeJS.ProcessEnv) {
    const {
      PORTICO_FIGURES: _figures,
      PORTICO_LONG: _long,
      PORTICO_GUARDS: _guards,
      VITEST: _vitest,
      ...env
    } = process.env;
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    return spawnSync(process.execPath, [program, ...words, '--project', 'node', '--project', 'node-alone'], {
      cwd: copy,
      env: { ...env, ...more, NO_COLOR: '1' },
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    });
  }
});

function chosen(): readonly Guard[] {
  if (!runs) return [];
  const all = findGuards(root).filter(({ file }) => file.includes(asked ?? ''));
  if (asked !== undefined || process.env.PORTICO_LONG) return all;
  const random = seeded(Number(process.env.PORTICO_SEED ?? 1));
  return Array.from({ length: byChance }, () => all[Math.floor(random() * all.length)] as Guard);
}

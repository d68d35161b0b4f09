import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { postgresPrograms } from '../gateway-doubles/start-postgres.ts';
import { seeded } from '../seed/random.ts';
import { figure } from '../support/figures.ts';
import {
  findGuards,
  type Guard,
  getName,
  guardsIn,
  type Met,
  type Noted,
  namingTestFile,
  notingRefusals,
} from './guards.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('a guard is a condition that throws or a call that refuses, and nothing else', () => {
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
  const noteCall = (line: number, met: Met) => `guardMet("a.ts:${line}", '${met}');`;
  expect(notingRefusals(source, guards).split('\n').slice(1, 5)).toEqual([
    `    if (a) { ${noteCall(2, 'refused')} throw new AppError('one'); }`,
    `    if (b) { ${noteCall(3, 'refused')} throw refusal('two'); }`,
    `    try { ${noteCall(4, 'called')} requireActive(principal); } catch (refused) { ${noteCall(4, 'refused')} throw refused; }`,
    `    try { ${noteCall(5, 'called')} await this.checkLimit(); } catch (refused) { ${noteCall(5, 'refused')} throw refused; }`,
  ]);
});

test('a source that records its guards does so in any program that a test starts, and nowhere else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-guards-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source =
    'function one() { if (1) throw new TypeError(); }\ntry { one(); one(); } catch {}\ncheckAll();\nfunction checkAll() {}';
  const [file, refusals] = [join(folder, 'one.ts'), join(folder, 'refusals')];
  writeFileSync(file, notingRefusals(source, guardsIn('one.ts', source)));
  const run = (more: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, [file], { env: { ...process.env, ...more } }).status;
  expect(run({})).toBe(0);
  expect(existsSync(refusals)).toBe(false);
  expect(run({ PORTICO_REFUSALS: refusals, PORTICO_REFUSING: '/a.test.ts' })).toBe(0);
  expect(run({ PORTICO_REFUSALS: refusals })).toBe(0);
  expect(notedIn(refusals)).toEqual([
    { guard: 'one.ts:1', met: 'refused', test: '/a.test.ts' },
    { guard: 'one.ts:3', met: 'called', test: '/a.test.ts' },
    { guard: 'one.ts:1', met: 'refused', test: null },
    { guard: 'one.ts:3', met: 'called', test: null },
  ]);
});

/**
 * Removes guards one by one in a copy of the sources and runs tests until one fails. PORTICO_GUARDS, a part of a path,
 * chooses the guards; the ordinary run takes a few at random, PORTICO_LONG all of them. It takes minutes to an hour, so
 * it runs only for `npm run proof`.
 *
 * The long form first runs all tests once with guards that record when they refuse, including in the programs that the
 * tests start. A guard that never refused and wasn't called counts as not missed by any test; the others need only the
 * tests that made them refuse. PORTICO_GUARD_TESTS does the same with the test files that it names. Otherwise the tests
 * beside a guard run first, then those of the contract, then all that import it.
 */
const asked = process.env.PORTICO_GUARDS;
const isLong = process.env.PORTICO_LONG !== undefined && asked === undefined;
const notingTests = process.env.PORTICO_GUARD_TESTS?.split(' ') ?? (isLong ? [] : null);
const runs = asked !== undefined || process.env.PORTICO_FIGURES !== undefined;
const byChance = 6;
const hourMs = 3_600_000;
const onNode = ['--project', 'node*'];
const onPostgres = postgresPrograms() ? ['--project', 'postgres*'] : [];
/** Folders whose code the tests start as a program and so don't import, and the tests that do that. */
const byPrograms = [
  ['electron/hosts/electron/', 'tests/hosts/electron.test.ts'],
  ['gateway/operations/backup/', 'gateway/cli/backup.test.ts'],
] as const;

/** Guards that only an end-to-end test of the app in Electron meets, with that test. */
const metByJourneys = new Map([
  ['electron/hosts/electron/main.ts: refuseSwitches();', 'tests/e2e/packaged.electron.ts'],
  ['electron/hosts/electron/print-pdf.ts: refusePermissions(closed);', 'tests/e2e/save.electron.ts'],
]);
const withWords = ({ file, text }: Guard) => `${file}: ${text}`;

test('the guards that only journeys in Electron meet exist, and so do the journeys', () => {
  expect(findGuards(root).map(withWords)).toEqual(expect.arrayContaining([...metByJourneys.keys()]));
  for (const journey of metByJourneys.values()) expect(existsSync(join(root, journey)), journey).toBe(true);
});

describe.runIf(runs)('a test fails for each guard that is removed', () => {
  const copy = mkdtempSync(join(tmpdir(), 'portico-guards-'));
  const guards = chosen();
  const missed: Guard[] = [];
  const survived: Guard[] = [];
  let metIn: ReadonlyMap<string, readonly string[]> | null = null;

  beforeAll(() => {
    const { stdout } = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' });
    for (const file of stdout.trim().split('\n')) cpSync(join(root, file), join(copy, file));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    if (notingTests) metIn = testsByGuard(notingTests);
  }, hourMs);
  afterAll(() => {
    rmSync(copy, { recursive: true });
    const which = survived.map(getName).join(', ');
    const summary = `${missed.length + survived.length} taken away, ${missed.length} missed by a test`;
    const journeys = [...metByJourneys].map(([guard, journey]) => `${guard} (${journey})`).join(', ');
    const others = isLong ? `; not taken away, but met by a journey in Electron: ${journeys}` : '';
    figure('guards removed', `${summary}${which && `; not missed: ${which}`}${others}`);
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
    if (metIn === null) {
      const [, far] = byPrograms.find(([folder]) => guard.file.startsWith(folder)) ?? [];
      return [
        ['run', dirname(guard.file), ...onNode],
        ...(far === undefined ? [] : [['run', far]]),
        ['run', 'tests/contract', 'authorization-matrix', ...onNode],
        ['related', '--run', guard.file, ...onNode],
      ];
    }
    const files = metIn.get(getName(guard));
    return files ? [['run', ...files]] : [];
  }

  /**
   * Returns the test files in which each guard refuses. For a guard that refuses in none, returns those in which it's
   * called, because its effect may be something else than to throw.
   */
  function testsByGuard(tests: readonly string[]): ReadonlyMap<string, readonly string[]> {
    const telling = 'tests/support/seeded-properties.ts';
    const byFile = Map.groupBy(guards, ({ file }) => file);
    const changed = new Map(
      [...byFile].map(([file, fileGuards]) => [file, (source: string) => notingRefusals(source, fileGuards)]),
    );
    // This file runs before each test file, in its process.
    changed.set(telling, (source) => `${source}\n${namingTestFile}\n`);
    const originals = [...changed].map(([file, change]) => {
      const source = readFileSync(join(copy, file), 'utf8');
      writeFileSync(join(copy, file), change(source));
      return [file, source] as const;
    });
    const refusals = join(copy, 'refusals');
    const { stdout, stderr } = vitest(['run', ...tests], { PORTICO_REFUSALS: refusals });
    for (const [file, source] of originals) writeFileSync(join(copy, file), source);
    if (!existsSync(refusals))
      throw new Error(`no guard recorded that it refused: ${`${stdout}${stderr}`.slice(-2_000)}`);
    const known = notedIn(refusals).flatMap(({ test: file, ...note }) => (file === null ? [] : [{ ...note, file }]));
    return new Map(
      [...Map.groupBy(known, ({ guard }) => guard)].map(([guard, found]) => {
        const refused = found.filter(({ met }) => met === 'refused');
        return [guard, [...new Set((refused.length > 0 ? refused : found).map(({ file }) => file))]];
      }),
    );
  }

  function isRed(words: readonly string[]): boolean {
    const { status, stdout, stderr } = vitest([...words, '--bail', '1', '--passWithNoTests'], {});
    // A test runner that couldn't start doesn't count as a failed test.
    if (status !== 0 && !/^ *Test Files .*\d failed/m.test(stdout)) throw new Error(`${stdout}${stderr}`.slice(-2_000));
    return status !== 0;
  }

  function vitest(words: readonly string[], more: NodeJS.ProcessEnv) {
    const {
      PORTICO_FIGURES: _figures,
      PORTICO_LONG: _long,
      PORTICO_GUARDS: _guards,
      PORTICO_GUARD_TESTS: _tests,
      VITEST: _vitest,
      ...env
    } = process.env;
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const all = words.includes('--project') ? [] : [...onNode, ...onPostgres];
    const ran = spawnSync(process.execPath, [program, ...words, ...all], {
      cwd: copy,
      env: { ...env, ...more, NO_COLOR: '1' },
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    });
    // Ends the programs that a test had started when the first failure stopped it. Only these have this
    // folder in their command line.
    spawnSync('pkill', ['-KILL', '-f', copy]);
    return ran;
  }
});

function chosen(): readonly Guard[] {
  if (!runs) return [];
  const all = findGuards(root).filter(
    (guard) => guard.file.includes(asked ?? '') && !metByJourneys.has(withWords(guard)),
  );
  if (asked !== undefined || process.env.PORTICO_LONG) return all;
  const random = seeded(Number(process.env.PORTICO_SEED ?? 1));
  return Array.from({ length: byChance }, () => random.pick(all));
}

function notedIn(path: string): Noted[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Noted);
}

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
  sayingWhenRefused,
  tellingTests,
} from './guards.ts';

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
  const said = (line: number, met: Met) => `guardMet("a.ts:${line}", '${met}');`;
  expect(sayingWhenRefused(source, guards).split('\n').slice(1, 5)).toEqual([
    `    if (a) { ${said(2, 'refused')} throw new AppError('one'); }`,
    `    if (b) { ${said(3, 'refused')} throw refusal('two'); }`,
    `    try { ${said(4, 'called')} requireActive(principal); } catch (refused) { ${said(4, 'refused')} throw refused; }`,
    `    try { ${said(5, 'called')} await this.checkLimit(); } catch (refused) { ${said(5, 'refused')} throw refused; }`,
  ]);
});

test('what notes by itself does so in any program that a test starts, and nowhere else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-guards-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source =
    'function one() { if (1) throw new TypeError(); }\ntry { one(); one(); } catch {}\ncheckAll();\nfunction checkAll() {}';
  const [file, refusals] = [join(folder, 'one.ts'), join(folder, 'refusals')];
  writeFileSync(file, sayingWhenRefused(source, guardsIn('one.ts', source)));
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
 * Takes guards away, one after the other, in a copy of the sources, and runs tests until one turns red. PORTICO_GUARDS, a part of a
 * path, says which; the ordinary run takes some by chance, PORTICO_LONG all. Minutes to an hour: only where `npm run proof` asks.
 *
 * The long form first runs all tests once over guards that say when they refuse, in the programs that the tests start as well. A guard that
 * never did, and was not called either, is missed by no test; the others need only the tests that made them refuse. PORTICO_GUARD_TESTS does
 * the same with the test files that it names. Otherwise it is the tests beside a guard, then those of the contract, then all that import it.
 */
const asked = process.env.PORTICO_GUARDS;
const isLong = process.env.PORTICO_LONG !== undefined && asked === undefined;
const notingTests = process.env.PORTICO_GUARD_TESTS?.split(' ') ?? (isLong ? [] : null);
const runs = asked !== undefined || process.env.PORTICO_FIGURES !== undefined;
const byChance = 6;
const hourMs = 3_600_000;
const onNode = ['--project', 'node*'];
const onPostgres = postgresPrograms() ? ['--project', 'postgres*'] : [];
/** Folders of what tests start as a program, and so do not import, and the tests that do. */
const byPrograms = [
  ['electron/hosts/electron/', 'tests/hosts/electron.test.ts'],
  ['gateway/operations/backup/', 'gateway/cli/backup.test.ts'],
] as const;

/** Guards that only a program has which `npm run package` makes: the journey that meets each. */
const elsewhere = new Map([['electron/hosts/electron/main.ts: refuseSwitches();', 'tests/e2e/packaged.electron.ts']]);
const withWords = ({ file, text }: Guard) => `${file}: ${text}`;

test('what is said to be met elsewhere is there, and where it is said', () => {
  expect(findGuards(root).map(withWords)).toEqual(expect.arrayContaining([...elsewhere.keys()]));
  for (const journey of elsewhere.values()) expect(existsSync(join(root, journey)), journey).toBe(true);
});

describe.runIf(runs)('each guard that is taken away turns a test red', () => {
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
    const of = `${missed.length + survived.length} taken away, ${missed.length} missed by a test`;
    const journeys = [...elsewhere].map(([guard, journey]) => `${guard} (${journey})`).join(', ');
    const others = isLong ? `; not taken away, but met by a journey of the packaged app: ${journeys}` : '';
    figure('guards removed', `${of}${which && `; not missed: ${which}`}${others}`);
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

  /** The test files in which each guard refuses; where it does in none, those in which it is called: what it does may not be to throw. */
  function testsByGuard(tests: readonly string[]): ReadonlyMap<string, readonly string[]> {
    const telling = 'tests/support/seeded-properties.ts';
    const byFile = Map.groupBy(guards, ({ file }) => file);
    const changed = new Map([...byFile].map(([file, of]) => [file, (source: string) => sayingWhenRefused(source, of)]));
    // Runs before each test file, in its process.
    changed.set(telling, (source) => `${source}\n${tellingTests}\n`);
    const originals = [...changed].map(([file, change]) => {
      const source = readFileSync(join(copy, file), 'utf8');
      writeFileSync(join(copy, file), change(source));
      return [file, source] as const;
    });
    const refusals = join(copy, 'refusals');
    const { stdout, stderr } = vitest(['run', ...tests], { PORTICO_REFUSALS: refusals });
    for (const [file, source] of originals) writeFileSync(join(copy, file), source);
    if (!existsSync(refusals)) throw new Error(`no guard said that it refused: ${`${stdout}${stderr}`.slice(-2_000)}`);
    const known = notedIn(refusals).flatMap(({ test: file, ...one }) => (file === null ? [] : [{ ...one, file }]));
    return new Map(
      [...Map.groupBy(known, ({ guard }) => guard)].map(([guard, found]) => {
        const refused = found.filter(({ met }) => met === 'refused');
        return [guard, [...new Set((refused.length > 0 ? refused : found).map(({ file }) => file))]];
      }),
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
    // What a test had started when the first failure cut it off: nothing else has this folder in its command line.
    spawnSync('pkill', ['-KILL', '-f', copy]);
    return ran;
  }
});

function chosen(): readonly Guard[] {
  if (!runs) return [];
  const all = findGuards(root).filter((guard) => guard.file.includes(asked ?? '') && !elsewhere.has(withWords(guard)));
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

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keepRows } from './kept-rows.ts';
import { getPage, getTable } from './report.ts';
import { getResults } from './results.ts';
import { type Row, rows } from './rows.ts';
import { judge } from './verdicts.ts';

/**
 * `npm run proof -- [--only ROW]… [--long] [--seed N]` runs the tests of the number table, stores what they showed in
 * `docs/proof.json` next to other runs' results, and writes `docs/proof.md` from it.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    long: { type: 'boolean' },
    seed: { type: 'string' },
  },
});
const all = Object.entries<Row>(rows);
const chosen = values.only ? all.filter(([name]) => values.only?.includes(name)) : all;
const unknown = values.only?.find((name) => !(name in rows));
if (unknown !== undefined) end(`no row "${unknown}". There are:\n  ${Object.keys(rows).join('\n  ')}`);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
if (!Number.isInteger(seed)) end(`--seed is ${values.seed}: it is the whole number that an earlier run has printed.`);

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'portico-proof-'));
const figures = join(folder, 'figures');
const files = [...new Set(chosen.flatMap(([, { tests }]) => tests.map((test) => test.split('#')[0] ?? '')))];
const suites = [...new Set(files.flatMap(getSuites))];
process.stdout.write(`portico: seed ${seed}\n`);
if (files.length > 0) {
  const long = values.long ? { PORTICO_LONG: '1' } : {};
  spawnSync(process.execPath, [join(root, 'scripts', 'test.mjs'), ...suites, ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...long, PORTICO_SEED: String(seed), PORTICO_FIGURES: figures },
  });
}
const results = suites.flatMap((suite) => getResults(join(root, 'test-results', `${suite}.json`), root));
const noted = existsSync(figures)
  ? readFileSync(figures, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { row: string; text: string })
  : [];
rmSync(folder, { recursive: true });
const judged = chosen.map(([name, row]) =>
  judge(
    name,
    row,
    results,
    // A test file that runs on both engines records the same figure twice.
    [...new Set(noted.flatMap((figure) => (figure.row === name ? [figure.text] : [])))],
  ),
);
process.stdout.write(getTable(judged));
const form = values.long ? 'long' : 'short';
const stored = keepRows(join(root, 'docs', 'proof.json'), judged, { form, seed, root });
writeFileSync(join(root, 'docs', 'proof.md'), getPage(stored));
process.exitCode = judged.some(({ verdict }) => verdict === 'fails') ? 1 : 0;

/** Returns the suites of `npm test` that may run a file. */
function getSuites(file: string): string[] {
  if (file.endsWith('.test.tsx')) return ['components'];
  if (file.endsWith('.agent.ts')) return ['agents'];
  if (file.endsWith('.postgres.test.ts')) return ['postgres'];
  if (file.endsWith('.test.ts')) return ['unit', 'postgres'];
  return [...(file.endsWith('.electron.ts') ? [] : ['web']), ...(file.endsWith('.web.ts') ? [] : ['electron'])];
}

function end(why: string): never {
  process.stderr.write(`portico: ${why}\n`);
  process.exit(2);
}

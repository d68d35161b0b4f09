import { execFileSync } from 'node:child_process';
import { machine } from '../support/machine.ts';
import type { Judged, Verdict } from './verdicts.ts';

const marks: Readonly<Record<Verdict, string>> = { holds: '✓', 'in part': '◐', 'not shown': '·', fails: '✗' };

/** To read in a terminal. */
export function tableOf(judged: readonly Judged[]): string {
  const width = Math.max(...judged.map(({ name }) => name.length));
  const lines = judged.map(
    (one) => `${marks[one.verdict]} ${one.name.padEnd(width)}  ${one.verdict.padEnd(9)}  ${shownBy(one)}`,
  );
  const failed = judged.flatMap(({ failed }) => failed.map(({ file, name }) => `  ${file}: ${name}`));
  return `${[...lines, ...failed].join('\n')}\n`;
}

/** `docs/proof.md`. */
export function pageOf(judged: readonly Judged[], run: { seed: number; long: boolean; root: string }): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: run.root, encoding: 'utf8' }).trim();
  const rows = judged.map((one) => `| ${one.name} | ${one.row.goal} | ${shownBy(one)} | ${one.verdict} |`);
  const open = judged.flatMap(({ name, row }) => (row.open ? [`- **${name}**: ${row.open}`] : []));
  const long = judged.flatMap(({ name, row }) => (row.long ? [`- **${name}**: ${row.long}`] : []));
  return `# What holds

Written by \`npm run proof\`; \`npm run proof -- --only "fuzz: HTTP"\` runs one row, \`--long\` the long form, \`--seed ${run.seed}\` the same
random inputs once more. The tests of the short form are part of \`npm test\`.

${run.long ? 'Long' : 'Short'} form, seed ${run.seed}, above commit ${commit}, ${new Date().toISOString().slice(0, 10)}, ${machine()}.

| | goal | shown | verdict |
|---|---|---|---|
${rows.join('\n')}

*holds*: its tests were run and passed, in the short form with the smaller numbers that are shown. *in part*: they passed, and more is
wanted (below). *not shown*: something of it did not run here. *fails*: a test failed.

## What is open

${open.join('\n')}

## What the long form does more

${long.join('\n')}
`;
}

function shownBy({ figures, passed, failed, skipped }: Judged): string {
  const counts = `${passed} ${passed === 1 ? 'test' : 'tests'}${failed.length ? `, ${failed.length} failed` : ''}${skipped ? `, ${skipped} skipped` : ''}`;
  return [...figures, counts].join('; ');
}

import type { StoredRow, StoredRows } from './kept-rows.ts';
import { type Row, rows } from './rows.ts';
import { type Judged, shownBy, type Verdict } from './verdicts.ts';

const marks: Readonly<Record<Verdict, string>> = { holds: '✓', 'in part': '◐', 'not shown': '·', fails: '✗' };

/** Formats the results for a terminal. */
export function getTable(judged: readonly Judged[]): string {
  const width = Math.max(...judged.map(({ name }) => name.length));
  const lines = judged.map(
    (judgement) =>
      `${marks[judgement.verdict]} ${judgement.name.padEnd(width)}  ${judgement.verdict.padEnd(9)}  ${shownBy(judgement)}`,
  );
  const failed = judged.flatMap(({ failed }) => failed.map(({ file, name }) => `  ${file}: ${name}`));
  return `${[...lines, ...failed].join('\n')}\n`;
}

/** Formats `docs/proof.md`. */
export function getPage(stored: StoredRows): string {
  const all = Object.entries<Row>(rows);
  const short = all.map(
    ([name, row]) => `| ${name} | ${row.goal} | ${cells(stored.short[name] ?? stored.long[name])} |`,
  );
  const long = all.flatMap(([name, { long }]) => (long ? [`| ${name} | ${long} | ${cells(stored.long[name])} |`] : []));
  const open = all.flatMap(([name, row]) => (row.open ? [`- **${name}**: ${row.open}`] : []));
  const seeds = [...new Set(Object.values(stored.short).map(({ seed }) => seed))];
  const machines = [...Object.values(stored.short), ...Object.values(stored.long)].map((row) => row.machine);
  return `# What holds

Written by \`npm run proof\` from what each row has shown last (\`proof.json\`, with the seeds); \`npm run proof -- --only "fuzz: HTTP"\`
runs one row anew, \`--long\` the long form, \`--seed ${seeds[0] ?? 1}\` the same random inputs once more. The tests of the short form are
part of \`npm test\`. Shown on ${[...new Set(machines)].join(' and ')}.

| | goal | shown | verdict | of |
|---|---|---|---|---|
${short.join('\n')}

*holds*: its tests were run and passed, in the short form with the smaller numbers that are shown. *in part*: they passed, and more is
wanted (below). *not shown*: something of it did not run. *fails*: a test failed.

## The long form

| | what it does more | shown | verdict | of |
|---|---|---|---|---|
${long.join('\n')}

## What is open

${open.join('\n')}
`;
}

const cells = (row: StoredRow | undefined) =>
  row ? `${row.shown} | ${row.verdict} | ${row.date}, ${row.commit}` : 'nothing yet | not shown | ';

import type { StoredResult } from './kept-results.ts';
import { type Row, spelled } from './rows.ts';

/** Formats `docs/bench/README.md`: the latest results of `npm run bench -- --keep`, bench by bench. */
export function getPage(results: ReadonlyMap<string, StoredResult>): string {
  return `# What it costs

Written by \`npm run bench -- --keep\` from the files beside it, which hold all of what was measured. The value is the median of the rounds of
one run (lowest to highest behind it); a floor was measured beside it, in the same run, and the ratio is to it. \`--check\` calls a ratio
worse when it is further above all runs that are kept than these are apart, and 1.5 times at least ([086](../decisions/086-results-that-are-kept.md)).
${[...results].map(([bench, result]) => getSection(bench, result)).join('')}`;
}

function getSection(bench: string, { runs, rows }: StoredResult): string {
  const [last] = runs;
  if (!last) return '';
  const { measured, commit, machine, load } = last;
  const conditions = `${measured.slice(0, 10)}, commit ${commit}, ${machine}, load ${load.join(' to ')}`;
  const among = runs.length === 1 ? 'one run is kept' : `${runs.length} runs are kept`;
  const lines = rows
    .filter(({ aside }) => !aside)
    .map((row) =>
      getLine(
        row,
        runs.flatMap(({ ratios }) => ratios[row.row] ?? []),
      ),
    );
  return `
## ${bench}

${conditions}; ${among}.

| | measured | floor | ratio | of the kept runs | wanted |
|---|---|---|---|---|---|
${lines.join('')}`;
}

function getLine({ row, unit, value, floor, atMost }: Row, ratios: readonly number[]): string {
  const beside = floor
    ? [`${floor.of}: ${spelled(floor.value)}`, `${spelled(floor.ratio)} ×`, apart(ratios)]
    : ['', '', ''];
  const wanted = atMost === undefined ? '' : `≤ ${atMost}: ${value.median <= atMost ? 'met' : 'missed'}`;
  return `| ${[row, `${spelled(value)} ${unit}`.trim(), ...beside, wanted].join(' | ')} |\n`;
}

const apart = (ratios: readonly number[]): string => {
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((value) => Number(value.toPrecision(3)));
  return low === high ? `${low}` : `${low}–${high}`;
};

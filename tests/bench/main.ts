import { parseArgs } from 'node:util';
import { benchGateway, type Figures } from './gateway/gateway-bench.ts';
import { benchSearch } from './search-bench.ts';

/** `npm run bench -- [--only gateway|search] [--rounds N] [--quick] [--json]`: tables to read, JSON to compare. */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    quick: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));

/** Ours against raw-meter: what is wanted, and whether more or less is better (performance goals). */
const goals: Partial<Record<keyof Figures, { ratio: number; more?: true }>> = {
  requestsPerSecond: { ratio: 0.7, more: true },
  cpuPerRequestUs: { ratio: 1.45 },
  cpuPerLargeRequestUs: { ratio: 1.4 },
  cpuPerChunkUs: { ratio: 1.15 },
  addedP50Ms: { ratio: 1.3 },
  addedFirstByteP50Ms: { ratio: 1.3 },
  kbPerOpenStream: { ratio: 1.5 },
  startMs: { ratio: 1.5 },
};

if (values.only === undefined || values.only === 'gateway') {
  const figures = await benchGateway({ rounds, scale: values.quick ? 1 : 3 });
  process.stdout.write(values.json ? `${JSON.stringify(Object.fromEntries(figures), null, 2)}\n` : table(figures));
}

if (values.only === undefined || values.only === 'search') {
  const found = await benchSearch({ messages: values.quick ? 10_000 : 100_000, rounds });
  const goals = { p95Ms: 100, cpuP95Ms: 100, mainThreadMs: 50 };
  const lines = Object.entries(found).map(([name, value]) => {
    const goal = goals[name as keyof typeof goals];
    return `${name.padEnd(12)}${value.toFixed(goal === undefined ? 1 : 2).padStart(12)}${goal === undefined ? '' : `  ≤ ${goal} ${value <= goal ? 'met' : 'missed'}`}`;
  });
  process.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : `search\n${lines.join('\n')}\n`);
}

function table(figures: Map<string, Figures>): string {
  const floor = figures.get('raw-meter');
  const ours = figures.get('portico');
  if (!floor || !ours) throw new Error('a contender is missing');
  const names = [...figures.keys()];
  const rows = (Object.keys(floor) as (keyof Figures)[]).map((key) => {
    const goal = goals[key];
    const ratio = ours[key] / floor[key];
    const verdict = goal
      ? `${goal.more ? '≥' : '≤'} ${goal.ratio} ${(goal.more ? ratio >= goal.ratio : ratio <= goal.ratio) ? 'met' : 'missed'}`
      : '';
    return [
      key,
      ...names.map((name) => (figures.get(name)?.[key] ?? Number.NaN).toFixed(2)),
      ratio.toFixed(2),
      verdict,
    ];
  });
  const lines = [['gateway', ...names, 'ratio', 'goal'], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return `${lines.map((line) => line.map((cell, column) => (column ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join('  ')).join('\n')}\n`;
}

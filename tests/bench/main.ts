import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchBombs, bombsTable } from './chat/bombs-bench.ts';
import { benchChat, chatTable } from './chat/chat-bench.ts';
import { benchGateway, type Figures } from './gateway/gateway-bench.ts';
import { benchSearch } from './search-bench.ts';

/** `npm run bench -- [--only gateway|search|chat|bombs] [--rounds N] [--quick] [--json FILE]`: tables to read, JSON to compare. */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    quick: { type: 'boolean' },
    json: { type: 'string' },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));

interface Goal {
  /** Of raw-meter's figure. */
  readonly ratio?: number;
  /** Of the figure itself. */
  readonly most?: number;
  /** More is better. */
  readonly more?: true;
}

/** What is wanted of ours (performance goals). */
const goals: Partial<Record<keyof Figures, Goal>> = {
  requestsPerSecond: { ratio: 0.7, more: true },
  cpuPerRequestUs: { ratio: 1.45 },
  cpuPerLargeRequestUs: { ratio: 1.4 },
  cpuPerChunkUs: { ratio: 1.15 },
  addedP50WithoutSyncMs: { ratio: 1.3 },
  addedFirstByteP50WithoutSyncMs: { ratio: 1.3 },
  kbPerOpenStream: { ratio: 1.5, most: 100 },
  mbPerStalledClient: { most: 30 },
  startMs: { ratio: 1.5 },
  incomplete: { most: 0 },
};

/** Each bench's figures under its name. */
const record: Record<string, unknown> = {};

if (values.only === undefined || values.only === 'gateway') {
  const figures = await benchGateway({ rounds, scale: values.quick ? 1 : 3 });
  process.stdout.write(table(figures));
  record.gateway = recordOf(figures);
}

/** The figures with what they were measured on, and ours against raw-meter. */
function recordOf(figures: Map<string, Figures>) {
  const [floor, ours] = [figures.get('raw-meter'), figures.get('portico')];
  const ratios = Object.entries(ours ?? {}).map(([key, value]) => [
    key,
    value / (floor?.[key as keyof Figures] ?? NaN),
  ]);
  return {
    measured: new Date().toISOString(),
    node: process.version,
    processor: cpus()[0]?.model ?? null,
    cores: cpus().length,
    rounds,
    figures: Object.fromEntries(figures),
    ratios: Object.fromEntries(ratios),
  };
}

function verdictOn(goal: Goal | undefined, value: number, ratio: number): string {
  if (!goal) return '';
  const parts = [
    goal.ratio === undefined ? [] : [goal.more ? `≥ ${goal.ratio}` : `≤ ${goal.ratio} ×`],
    goal.most === undefined ? [] : [`≤ ${goal.most}`],
  ].flat();
  const reached = goal.ratio === undefined || (goal.more ? ratio >= goal.ratio : ratio <= goal.ratio);
  return `${parts.join(', ')} ${reached && value <= (goal.most ?? Infinity) ? 'met' : 'missed'}`;
}

if (values.only === undefined || values.only === 'search') {
  const found = await benchSearch({ messages: values.quick ? 10_000 : 100_000, rounds });
  const goals = { p95Ms: 100, cpuP95Ms: 100, mainThreadMs: 50 };
  const lines = Object.entries(found).map(([name, value]) => {
    const goal = goals[name as keyof typeof goals];
    return `${name.padEnd(12)}${value.toFixed(goal === undefined ? 1 : 2).padStart(12)}${goal === undefined ? '' : `  ≤ ${goal} ${value <= goal ? 'met' : 'missed'}`}`;
  });
  process.stdout.write(`search\n${lines.join('\n')}\n`);
  record.search = found;
}

if (values.only === undefined || values.only === 'chat') {
  const figures = await benchChat();
  process.stdout.write(chatTable(figures));
  record.chat = figures;
}

// Minutes of it: only when it is asked for.
if (values.only === 'bombs') {
  const figures = await benchBombs();
  process.stdout.write(bombsTable(figures));
  record.bombs = figures;
}

if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(record, null, 2)}\n`);

function table(figures: Map<string, Figures>): string {
  const floor = figures.get('raw-meter');
  const ours = figures.get('portico');
  if (!floor || !ours) throw new Error('a contender is missing');
  const names = [...figures.keys()];
  const rows = (Object.keys(floor) as (keyof Figures)[]).map((key) => {
    const ratio = ours[key] / floor[key];
    const verdict = verdictOn(goals[key], ours[key], ratio);
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

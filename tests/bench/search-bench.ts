import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seed } from '../seed/seed.ts';
import { testCore } from '../support/test-core.ts';

export interface SearchFigures {
  readonly messages: number;
  readonly queries: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Processor time of the whole process: what the wall clock would show where nothing else runs. */
  readonly cpuP95Ms: number;
  /** The most processor time that one search took of the main thread: how long it can have been kept from anything else. */
  readonly mainThreadMs: number;
}

/** What people type, and what is hardest: common words, one letter, short prefixes, phrases, filters, nothing found. */
const queries = [
  ...[
    'heron',
    'the',
    't',
    'th',
    'comp',
    'index order',
    '"the noun"',
    'juniper-4821',
    'renovation budget',
    'zzzznothing',
  ],
  ...['the role:user', 'folder:Work the', 'tag:maths matrix', 'model:sonnet cost', 'before:2020 the', 'pinned:yes the'],
  ...[
    'mañana',
    '数据库',
    'kyoto temple garden',
    'residual variance estimator',
    'tag:cooking',
    'rollback after:2026-01',
  ],
];

/** Searches a seeded world through the core, as a window would. */
export async function benchSearch({ messages, rounds }: { messages: number; rounds: number }): Promise<SearchFigures> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  await seed({
    dataFolder,
    conversations: messages / 20,
    messages,
    long: 0,
    requests: null,
    seed: 1,
    force: false,
    nowMs: Date.now(),
  });
  const core = await testCore({ dataFolder });
  const times: number[] = [];
  const cpu: number[] = [];
  const main: number[] = [];
  try {
    for (const query of queries) await core.client.search.find({ query });
    for (let round = 0; round < rounds * 10; round++) {
      for (const query of queries) {
        const [before, mainBefore, start] = [process.cpuUsage(), process.threadCpuUsage(), performance.now()];
        await core.client.search.find({ query });
        times.push(performance.now() - start);
        cpu.push(msOf(process.cpuUsage(before)));
        main.push(msOf(process.threadCpuUsage(mainBefore)));
      }
    }
    return {
      messages,
      queries: times.length,
      p50Ms: quantile(times, 0.5),
      p95Ms: quantile(times, 0.95),
      maxMs: quantile(times, 1),
      cpuP95Ms: quantile(cpu, 0.95),
      mainThreadMs: quantile(main, 1),
    };
  } finally {
    await core.close();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

const msOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

const goals = { p95Ms: 100, cpuP95Ms: 100, mainThreadMs: 50 };

export function searchTable(found: Awaited<ReturnType<typeof benchSearch>>): string {
  const lines = Object.entries(found).map(([name, value]) => {
    const goal = goals[name as keyof typeof goals];
    const figure = `${name.padEnd(12)}${value.toFixed(goal === undefined ? 1 : 2).padStart(12)}`;
    return goal === undefined ? figure : `${figure}  ≤ ${goal} ${value <= goal ? 'met' : 'missed'}`;
  });
  return `search\n${lines.join('\n')}\n`;
}

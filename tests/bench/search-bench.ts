import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { seed } from '../seed/seed.ts';
import { testCore } from '../support/test-core.ts';
import { type Reporter, toRow } from './rows.ts';

/** What people type, and the hardest cases: common words, one letter, short prefixes, words without a match. */
const words = [
  'heron',
  'the',
  't',
  'th',
  'comp',
  'index order',
  'renovation budget',
  'zzzznothing',
  'mañana',
  '数据库',
];
const phrases = ['"the noun"', 'juniper-4821', 'kyoto temple garden', 'residual variance estimator'];
const filters = [
  ...['the role:user', 'folder:Work the', 'tag:maths matrix', 'model:sonnet cost', 'before:2020 the', 'pinned:yes the'],
  ...['tag:cooking', 'rollback after:2026-01'],
];
const queries = [...words, ...phrases, ...filters];
const timesARound = 10;

interface Times {
  readonly ms: readonly number[];
  readonly cpuMs: readonly number[];
  readonly mainMs: readonly number[];
}

interface SearchOptions {
  readonly messages: number;
  readonly rounds: number;
  readonly reporter: Reporter;
}

/** Searches a seeded data folder through the core, as a window would. */
export async function benchSearch({ messages, rounds, reporter }: SearchOptions): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  reporter.doing(`writing ${messages} messages`);
  const nowMs = Date.now();
  const size = { conversations: messages / 20, messages, long: 0, requests: null };
  await seed({ dataFolder, ...size, seed: 1, force: false, nowMs });
  reporter.doing('opening the core');
  const core = await testCore({ dataFolder });
  const index = new Sqlite(join(dataFolder, 'portico.db'), { readonly: true });
  const newest = index.prepare(
    'select rowid from message_words where message_words match ? order by rowid desc limit 50',
  );
  const find = (query: string) => core.client.search.find({ query });
  try {
    reporter.doing('each query once');
    for (const query of queries) await find(query);
    const all: Times[] = [];
    const own: Times[] = [];
    const floor: Times[] = [];
    for (let round = 0; round < rounds; round += 1) {
      reporter.doing(`${queries.length} queries, ${timesARound} times, round ${round + 1} of ${rounds}`);
      all.push(await getTimes(queries, find));
      own.push(await getTimes(words, find));
      floor.push(await getTimes(words, async (word) => newest.all(`"${word}"*`)));
    }
    const title = `search of ${messages} messages`;
    const quantiles = (times: readonly Times[], name: keyof Times, share: number) =>
      times.map((time) => quantile(time[name], share));
    const p95 = 'ms, 95th percentile';
    reporter.row(
      toRow({ row: `${title}: ${queries.length} queries`, unit: 'ms, median', values: quantiles(all, 'ms', 0.5) }),
    );
    reporter.row(
      toRow({
        row: `${title}: ${queries.length} queries, slowest`,
        unit: p95,
        values: quantiles(all, 'ms', 0.95),
        atMost: 100,
      }),
    );
    reporter.row(toRow({ row: `${title}: processor`, unit: p95, values: quantiles(all, 'cpuMs', 0.95), atMost: 100 }));
    reporter.row(
      toRow({
        row: `${title}: the main thread, at most`,
        unit: 'ms CPU',
        values: quantiles(all, 'mainMs', 1),
        atMost: 50,
      }),
    );
    reporter.row(
      toRow({
        row: `${title}: ${words.length} words, with titles, texts and marks`,
        unit: p95,
        values: quantiles(own, 'ms', 0.95),
        floor: { of: 'the newest 50 in the index alone', values: quantiles(floor, 'ms', 0.95) },
      }),
    );
  } finally {
    index.close();
    await core.close();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

async function getTimes(texts: readonly string[], ask: (text: string) => Promise<unknown>): Promise<Times> {
  const [ms, cpuMs, mainMs]: [number[], number[], number[]] = [[], [], []];
  for (let time = 0; time < timesARound; time += 1) {
    for (const text of texts) {
      const [cpu, main, start] = [process.cpuUsage(), process.threadCpuUsage(), performance.now()];
      await ask(text);
      ms.push(performance.now() - start);
      cpuMs.push(toMs(process.cpuUsage(cpu)));
      mainMs.push(toMs(process.threadCpuUsage(main)));
    }
  }
  return { ms, cpuMs, mainMs };
}

const toMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

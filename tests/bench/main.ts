import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { benchPages, pagesTable } from './books/pages-bench.ts';
import { benchBombs, bombsTable } from './chat/bombs-bench.ts';
import { benchChat, chatRatios, chatTable } from './chat/chat-bench.ts';
import { benchCalls, callsTable } from './gateway/calls-bench.ts';
import { benchGateway } from './gateway/gateway-bench.ts';
import { verdictsOn } from './gateway/goals.ts';
import { checkedRatios, jsonOf, reportOf, tablesOf } from './gateway/report.ts';
import { keep, kept, type Ratios, worseThan } from './kept-results.ts';
import { benchSearch, searchTable } from './search-bench.ts';
import { benchStart, startRatios, startTable } from './start/start-bench.ts';

/**
 * `npm run bench -- [--only gateway|calls|search|pages|chat|start|bombs] [--rounds N] [--quick] [--contenders portico,raw-meter] [--json FILE]
 * [--keep] [--check]`: tables to read, JSON to compare. `--keep` writes the results to `docs/bench/`; `--check` ends with 1 where a ratio
 * is worse than the kept one by more than noise.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    contenders: { type: 'string' },
    json: { type: 'string' },
    keep: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const { quick } = values;
const rounds = Number(values.rounds ?? (quick ? 1 : 3));
/** Of the gateway's bench: about a minute and a half with one round, about eleven minutes with three. */
const quickPace = { warmUpMs: 600, warmMs: 100, measuredMs: 450 };
const fullPace = { warmUpMs: 3000, warmMs: 250, measuredMs: 1750 };

interface Measured {
  readonly table: string;
  readonly figures: unknown;
  /** What is kept of them; all, where it is not told. */
  readonly summary?: unknown;
  /** Of what is compared with what was kept. */
  readonly ratios?: Ratios;
}

const benches: Readonly<Record<string, () => Promise<Measured>>> = {
  async gateway() {
    const contenders = values.contenders?.split(',') ?? [];
    const measured = await benchGateway({ rounds, pace: quick ? quickPace : fullPace, contenders });
    const report = reportOf(measured);
    const table = `${tablesOf(measured)}\n${verdictsOn(report)}`;
    const { slices, ...summary } = jsonOf(measured);
    return { table, figures: { ...summary, slices }, summary, ratios: checkedRatios(report) };
  },
  async calls() {
    const figures = await benchCalls();
    return { table: callsTable(figures), figures };
  },
  async search() {
    const figures = await benchSearch({ messages: quick ? 10_000 : 100_000, rounds });
    return { table: searchTable(figures), figures };
  },
  async pages() {
    const figures = await benchPages(quick ? 25_000 : 250_000);
    return { table: pagesTable(figures), figures };
  },
  async chat() {
    const figures = await benchChat();
    return { table: chatTable(figures), figures, ratios: chatRatios(figures) };
  },
  async start() {
    const figures = await benchStart(rounds);
    if (!figures) return { table: 'start: there is no Electron here\n', figures: null };
    return { table: startTable(figures), figures, ratios: startRatios(figures) };
  },
  async bombs() {
    const figures = await benchBombs();
    return { table: bombsTable(figures), figures };
  },
};

// Bombs take minutes: only when they are asked for.
const chosen = values.only ? [values.only] : Object.keys(benches).filter((name) => name !== 'bombs');
const record: Record<string, unknown> = {};
for (const name of chosen) {
  const bench = benches[name];
  if (!bench) throw new Error(`no bench "${name}": there are ${Object.keys(benches).join(', ')}`);
  const loadBefore = loadavg()[0] ?? Number.NaN;
  const { table, figures, summary = figures, ratios = {} } = await bench();
  process.stdout.write(table);
  record[name] = figures;
  // The short form measures programs that have hardly run: results of their own.
  const keptAs = quick ? `${name}-quick` : name;
  if (values.check) {
    const before = kept(keptAs);
    const worse = worseThan(before.ratios, ratios);
    for (const sentence of worse) process.stdout.write(`worse  ${sentence}\n`);
    if (worse.length === 0) process.stdout.write(`no ratio is worse than that of ${before.commit}\n`);
    else process.exitCode = 1;
  }
  if (values.keep) keep(keptAs, { figures: summary, ratios, loadBefore });
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(record, null, 2)}\n`);

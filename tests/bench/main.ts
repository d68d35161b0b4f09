import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { benchBombs } from './chat/bombs-bench.ts';
import { benchChat } from './chat/chat-bench.ts';
import { benchCalls } from './gateway/calls-bench.ts';
import { benchGateway } from './gateway/gateway-bench.ts';
import { verdictsOn } from './gateway/goals.ts';
import { getReport, getTables, isHeldTo, toRows } from './gateway/report.ts';
import { keep, kept, worseThan } from './kept-results.ts';
import { benchDashboards } from './ledger/dashboards-bench.ts';
import { getLine, type Row, type Teller } from './rows.ts';
import { benchSearch } from './search-bench.ts';
import { benchFootprint } from './start/footprint-bench.ts';
import { benchStart } from './start/start-bench.ts';

/**
 * `npm run bench -- [--only gateway|calls|search|dashboards|chat|start|footprint|bombs] [--rounds N] [--quick]
 * [--contenders portico,raw-meter] [--json FILE] [--keep] [--check]`: rows to read, each as soon as it is measured, and JSON. `--keep`
 * writes them to `docs/bench/`; `--check` ends with 1 where a ratio is worse than in the kept runs by more than these differ.
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
const contenders = values.contenders?.split(',') ?? [];
/** Of the gateway's bench: about a minute and a half with one round. */
const quickPace = { warmUpMs: 600, warmMs: 100, measuredMs: 450 };
/** About eleven minutes with two rounds of all. Ours is as quick as it gets after some 25,000 whole answers (docs/decisions/062-one-path-and-its-price.md). */
const fullPace = { warmUpMs: 6000, warmMs: 250, measuredMs: 1750 };

const benches: Readonly<Record<string, (tell: Teller) => Promise<void>>> = {
  async gateway(tell) {
    const measured = await benchGateway({ rounds, pace: quick ? quickPace : fullPace, contenders, tell });
    for (const row of toRows(measured)) tell.row(row);
    process.stdout.write(`${getTables(measured)}\n${verdictsOn(getReport(measured))}`);
  },
  calls: benchCalls,
  search: (tell) => benchSearch({ messages: quick ? 10_000 : 100_000, rounds, tell }),
  dashboards: (tell) => benchDashboards({ requests: quick ? 25_000 : 250_000, rounds, tell }),
  chat: benchChat,
  start: (tell) => benchStart({ rounds, tell }),
  footprint: benchFootprint,
  bombs: benchBombs,
};

// Bombs take minutes: only when they are asked for.
const chosen = values.only ? [values.only] : Object.keys(benches).filter((name) => name !== 'bombs');
const record: Record<string, readonly Row[]> = {};
for (const name of chosen) {
  const bench = benches[name];
  if (!bench) throw new Error(`no bench "${name}": there are ${Object.keys(benches).join(', ')}`);
  const rows: Row[] = [];
  const [loadBefore, began] = [loadavg()[0] ?? Number.NaN, performance.now()];
  const seconds = () => ((performance.now() - began) / 1000).toFixed(0).padStart(4);
  await bench({
    doing: (what) => void process.stderr.write(`${name} ${seconds()} s: ${what}\n`),
    row(row) {
      rows.push(row);
      // The gateway's are in its tables.
      if (name !== 'gateway') process.stdout.write(`${name} ${seconds()} s: ${getLine(row)}`);
    },
  });
  record[name] = rows;
  // The short form measures programs that have hardly run: results of their own.
  const keptAs = quick ? `${name}-quick` : name;
  if (values.check) {
    const asked = name === 'gateway' ? isHeldTo(contenders) : () => true;
    const worse = worseThan(kept(keptAs), rows, asked);
    for (const sentence of worse) process.stdout.write(`worse  ${sentence}\n`);
    if (worse.length === 0) process.stdout.write('no ratio is worse than those that are kept\n');
    else process.exitCode = 1;
  }
  if (values.keep) keep(keptAs, rows, loadBefore);
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(record, null, 2)}\n`);

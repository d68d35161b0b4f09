import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { benchBombs } from './chat/bombs-bench.ts';
import { benchChat } from './chat/chat-bench.ts';
import { benchAppCalls } from './gateway/app-calls-bench.ts';
import { benchCalls } from './gateway/calls-bench.ts';
import { benchGateway } from './gateway/gateway-bench.ts';
import { verdictsOn } from './gateway/goals.ts';
import { getReport, getTables, isHeldTo, toRows } from './gateway/report.ts';
import { keep, readStored, worseThan } from './kept-results.ts';
import { benchDashboards } from './ledger/dashboards-bench.ts';
import { getLine, type Reporter, type Row } from './rows.ts';
import { benchSearch } from './search-bench.ts';
import { benchFootprint } from './start/footprint-bench.ts';
import { benchStart } from './start/start-bench.ts';

/**
 * `npm run bench -- [--only gateway|calls|search|dashboards|chat|start|footprint|bombs] [--rounds N] [--quick]
 * [--contenders portico,raw-meter] [--json FILE] [--keep] [--check]` prints each row as soon as it's measured, and
 * writes JSON. `--keep` stores the rows in `docs/bench/`. `--check` exits with 1 if a ratio is worse than in the stored
 * runs by more than these differ.
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
/** The durations of the gateway's bench: about a minute and a half with one round. */
const quickPace = { warmUpMs: 600, warmMs: 100, measuredMs: 450 };
/**
 * About eleven minutes with two rounds of everything. Our gateway reaches its full speed after about 25,000
 * non-streaming answers (docs/decisions/062-one-path-and-its-price.md).
 */
const fullPace = { warmUpMs: 6000, warmMs: 250, measuredMs: 1750 };

const benches: Readonly<Record<string, (reporter: Reporter) => Promise<void>>> = {
  async gateway(reporter) {
    const measured = await benchGateway({ rounds, pace: quick ? quickPace : fullPace, contenders, reporter });
    for (const row of toRows(measured)) reporter.row(row);
    process.stdout.write(`${getTables(measured)}\n${verdictsOn(getReport(measured))}`);
  },
  async calls(reporter) {
    await benchCalls(reporter);
    await benchAppCalls(reporter);
  },
  search: (reporter) => benchSearch({ messages: quick ? 10_000 : 100_000, rounds, reporter }),
  dashboards: (reporter) => benchDashboards({ requests: quick ? 25_000 : 250_000, rounds, reporter }),
  chat: benchChat,
  start: (reporter) => benchStart({ rounds, reporter }),
  footprint: benchFootprint,
  bombs: benchBombs,
};

// The bombs take minutes, so they run only if requested.
const chosen = values.only ? [values.only] : Object.keys(benches).filter((name) => name !== 'bombs');
const record: Record<string, readonly Row[]> = {};
for (const name of chosen) {
  const bench = benches[name];
  if (!bench) throw new Error(`no bench "${name}": there are ${Object.keys(benches).join(', ')}`);
  const rows: Row[] = [];
  const [loadBefore, began] = [loadavg()[0] ?? Number.NaN, performance.now()];
  const seconds = () => ((performance.now() - began) / 1000).toFixed(0).padStart(4);
  await bench({
    doing: (message) => void process.stderr.write(`${name} ${seconds()} s: ${message}\n`),
    row(row) {
      rows.push(row);
      // The gateway's rows are in its tables.
      if (name !== 'gateway') process.stdout.write(`${name} ${seconds()} s: ${getLine(row)}`);
    },
  });
  record[name] = rows;
  // The quick form measures programs that have hardly warmed up, so its results are stored separately.
  const storedAs = quick ? `${name}-quick` : name;
  if (values.check) {
    const asked = name === 'gateway' ? isHeldTo(contenders) : () => true;
    const worse = worseThan(readStored(storedAs), rows, asked);
    for (const sentence of worse) process.stdout.write(`worse  ${sentence}\n`);
    if (worse.length === 0) process.stdout.write('no ratio is worse than those that are kept\n');
    else process.exitCode = 1;
  }
  if (values.keep) keep(storedAs, rows, loadBefore);
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(record, null, 2)}\n`);

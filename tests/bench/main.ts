import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchPages, pagesTable } from './books/pages-bench.ts';
import { benchBombs, bombsTable } from './chat/bombs-bench.ts';
import { benchChat, chatTable } from './chat/chat-bench.ts';
import { benchGateway } from './gateway/gateway-bench.ts';
import { verdictsOn } from './gateway/goals.ts';
import { jsonOf, reportOf, tablesOf } from './gateway/report.ts';
import { benchSearch } from './search-bench.ts';
import { benchStart, startTable } from './start/start-bench.ts';

/**
 * `npm run bench -- [--only gateway|search|pages|chat|start|bombs] [--rounds N] [--quick] [--contenders portico,raw-meter] [--json FILE]`:
 * tables to read, JSON to compare.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    quick: { type: 'boolean' },
    contenders: { type: 'string' },
    json: { type: 'string' },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
/** Of the gateway's bench: about a minute and a half with one round, about eleven minutes with three. */
const quickPace = { warmUpMs: 600, warmMs: 100, measuredMs: 450 };
const fullPace = { warmUpMs: 3000, warmMs: 250, measuredMs: 1750 };

/** Each bench's figures under its name. */
const record: Record<string, unknown> = {};

if (values.only === undefined || values.only === 'gateway') {
  const measured = await benchGateway({
    rounds,
    pace: values.quick ? quickPace : fullPace,
    contenders: values.contenders?.split(',') ?? [],
  });
  process.stdout.write(`${tablesOf(measured)}\n${verdictsOn(reportOf(measured))}`);
  record.gateway = jsonOf(measured);
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

if (values.only === undefined || values.only === 'pages') {
  const figures = await benchPages(values.quick ? 25_000 : 250_000);
  process.stdout.write(pagesTable(figures));
  record.pages = figures;
}

if (values.only === undefined || values.only === 'chat') {
  const figures = await benchChat();
  process.stdout.write(chatTable(figures));
  record.chat = figures;
}

if (values.only === undefined || values.only === 'start') {
  const figures = await benchStart(rounds);
  process.stdout.write(figures ? startTable(figures) : 'start: there is no Electron here\n');
  record.start = figures;
}

// Minutes of it: only when it is asked for.
if (values.only === 'bombs') {
  const figures = await benchBombs();
  process.stdout.write(bombsTable(figures));
  record.bombs = figures;
}

if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(record, null, 2)}\n`);

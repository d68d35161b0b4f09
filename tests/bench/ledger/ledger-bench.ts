import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fillEarlier } from './earlier-file.ts';
import { measureLedger } from './measure-ledger.ts';

/**
 * `node tests/bench/ledger/ledger-bench.ts --db FILE|URL [--requests N] [--filled]` fills a new ledger of the previous
 * version, unless the file exists or `--filled` is given, and prints what migrating, serving and checking it takes.
 */
const { values } = parseArgs({
  options: { db: { type: 'string' }, requests: { type: 'string' }, filled: { type: 'boolean' } },
});
if (!values.db) throw new TypeError('--db needs a file or a URL.');
const now = Date.now();
const filled = values.filled ?? existsSync(values.db);
if (!filled) {
  const requests = Number(values.requests ?? 10_000_000);
  const start = performance.now();
  await fillEarlier(values.db, '0011-provenance', { requests, accounts: 1_000, days: 365, now }, () => {});
  process.stdout.write(`filled with ${requests} requests in ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
}
await measureLedger(values.db, now, ({ step, seconds, cpuSeconds, memoryMb }) =>
  process.stdout.write(
    `${step.padEnd(40)}${seconds.toFixed(3).padStart(10)} s${cpuSeconds.toFixed(3).padStart(10)} s CPU${memoryMb.toFixed(0).padStart(7)} MB\n`,
  ),
);

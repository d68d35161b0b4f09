import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { loadConfig } from '#gateway/operations/configuration/config.ts';
import { parseUsd } from '#shared/money.ts';
import { freePort } from '../../support/free-port.ts';
import { type Reporter, type Row, toRow } from '../rows.ts';
import { exchange, open, requestsFor, type Target } from './connection.ts';
import { model } from './contenders.ts';
import { start, stop } from './processes.ts';

/** What one answer calls of the gateway's own functions: no figure depends on what else the machine does. */
interface CallFigures {
  readonly answer: 'whole' | 'streamed';
  readonly calls: number;
  readonly functions: number;
  readonly files: number;
  /** The calls in each folder, the most first. */
  readonly folders: Readonly<Record<string, number>>;
}

const upstreamScript = fileURLToPath(new URL('upstream.ts', import.meta.url));
const root = new URL('../../../', import.meta.url).href;
const own = [`${root}gateway/`, `${root}shared/`];
/** The first requests build what is built once, so they aren't counted. */
const before = 20;
/** The lowest of this many requests counts, because some also flush the log or look up a key. */
const looks = 20;
const prompt = 'Which of these numbers is right, and why? '.repeat(24);

/** Counts by V8's precise coverage, over a socket, with everything on and the ledger in memory. */
export async function benchCalls(report: Reporter): Promise<void> {
  const port = await freePort();
  const upstream = await start(upstreamScript, [String(port)], { port });
  const env = { OPENAI_API_KEY: 'sk-bench-upstream-key', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
  const { providers } = loadConfig(undefined, env);
  const gateway = await openGateway({ database: ':memory:', env, providers, log: () => {}, logsAll: false });
  const server = await listen(gateway, { port: 0 });
  try {
    const { id: accountId } = await gateway.operator.createAccount({ name: 'bench', plan: 'enterprise' });
    await gateway.operator.grant({ accountId, amount: parseUsd('1000') });
    const { key } = await gateway.operator.createKey({ accountId });
    const target = { ports: [server.port], keys: [key], model };
    for (const answer of ['whole', 'streamed'] as const)
      for (const row of toRows(await getMin(answer, target))) report.row(row);
    const row = 'chunk that comes alone: calls of our own functions';
    report.row(toRow({ row, unit: '', values: [await countLoneChunk(target)], atMost: 20 }));
  } finally {
    await server.close();
    await gateway.close();
    await stop(upstream);
  }
}

async function getMin(answer: CallFigures['answer'], target: Target): Promise<CallFigures> {
  const [request = Buffer.alloc(0)] = requestsFor(
    target,
    answer === 'whole' ? prompt : 'bench-flat',
    answer !== 'whole',
  );
  const ask = await openAsk(target);
  for (let count = 0; count < before; count += 1) await ask.exchange(request);
  const coverage = await startCoverage();
  let least: CallFigures | null = null;
  for (let count = 0; count < looks; count += 1) {
    await coverage.take();
    await ask.exchange(request);
    const found = { answer, ...countedIn(await coverage.take()) };
    if (least === null || found.calls < least.calls) least = found;
  }
  coverage.stop();
  ask.close();
  if (least === null) throw new Error('nothing was counted');
  return least;
}

/** The chunks of a paced answer between which calls are counted: the first and the last few do more than the others. */
const loneChunks = { from: 10, to: 90 };

/**
 * What a chunk calls that the upstream sends alone. Some chunks may still be read together, by the gateway or by the client: that
 * only raises the calls of a read, so that the least of several answers is the true number.
 */
async function countLoneChunk(target: Target): Promise<number> {
  const [request = Buffer.alloc(0)] = requestsFor(target, 'bench-paced', true);
  const ask = await openAsk(target);
  await ask.exchange(request);
  const coverage = await startCoverage();
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < looks; count += 1) {
    let reads = 0;
    const counted: Promise<readonly Coverage[]>[] = [];
    await ask.exchange(request, () => {
      reads += 1;
      if (reads === loneChunks.from || reads === loneChunks.to) counted.push(coverage.take());
    });
    const [, scripts] = await Promise.all(counted);
    if (scripts) least = Math.min(least, countedIn(scripts).calls / (loneChunks.to - loneChunks.from));
  }
  coverage.stop();
  ask.close();
  return least;
}

/** Sends requests over one connection, and throws where an answer is not complete. */
async function openAsk(target: Target) {
  const socket = await open(target.ports[0] ?? 0);
  return {
    async exchange(request: Buffer, onBytes?: () => void): Promise<void> {
      const { sample } = await exchange(socket, request, performance.now(), onBytes);
      if (!sample.complete) throw new Error(`the gateway answered with ${sample.status}`);
    },
    close: () => void socket.destroy(),
  };
}

/** Counts calls in this process, by V8's precise coverage. */
async function startCoverage() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    /** The calls since it was last taken. */
    take: async (): Promise<readonly Coverage[]> => (await session.post('Profiler.takePreciseCoverage')).result,
    stop: () => session.disconnect(),
  };
}

interface Coverage {
  readonly url: string;
  readonly functions: readonly { readonly functionName: string; readonly ranges: readonly Range[] }[];
}
interface Range {
  readonly startOffset: number;
  readonly count: number;
}

function countedIn(scripts: readonly Coverage[]): Omit<CallFigures, 'answer'> {
  const folders = new Map<string, number>();
  let [files, called] = [0, 0];
  for (const { url, functions } of scripts) {
    if (!own.some((folder) => url.startsWith(folder))) continue;
    const counts = functions.map(({ ranges: [all] }) => all?.count ?? 0).filter((count) => count > 0);
    if (counts.length === 0) continue;
    files += 1;
    called += counts.length;
    const folder = toFolder(url.slice(root.length));
    folders.set(folder, (folders.get(folder) ?? 0) + counts.reduce((sum, count) => sum + count, 0));
  }
  const sorted = [...folders].sort(([, a], [, b]) => b - a);
  const calls = sorted.reduce((sum, [, count]) => sum + count, 0);
  return { calls, functions: called, files, folders: Object.fromEntries(sorted) };
}

/** `gateway/engine` of `gateway/engine/billing/meter.ts`, and `gateway` of a file that is in none of its folders. */
const toFolder = (path: string): string => path.split('/').slice(0, -1).slice(0, 2).join('/');

function toRows({ answer, calls, functions, files, folders }: CallFigures): Row[] {
  const all = [
    toRow({ row: `${answer} answer: calls of our own functions`, unit: '', values: [calls] }),
    toRow({ row: `${answer} answer: own functions that are called`, unit: '', values: [functions] }),
    toRow({ row: `${answer} answer: own files that are called`, unit: '', values: [files] }),
  ];
  const parts = Object.entries(folders).map(([folder, count]) => ({
    ...toRow({ row: `${answer} answer: calls in ${folder}`, unit: '', values: [count] }),
    aside: true as const,
  }));
  return [...all, ...parts];
}

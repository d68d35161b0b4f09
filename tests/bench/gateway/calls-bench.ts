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

/**
 * The number of calls to the gateway's own functions for one answer. These figures don't depend on
 * what else the machine does.
 */
interface CallFigures {
  readonly answer: 'whole' | 'streamed';
  readonly calls: number;
  readonly files: number;
  /** Calls by folder, the largest number first. */
  readonly folders: Readonly<Record<string, number>>;
}

const upstreamScript = fileURLToPath(new URL('upstream.ts', import.meta.url));
const root = new URL('../../../', import.meta.url).href;
const own = [`${root}gateway/`, `${root}shared/`];
/** Answers before the measured ones, which do all one-time work. */
const before = 20;
/**
 * The lowest number of this many tries counts. This excludes occasional work, such as a flush to the
 * database or the lookup of a key.
 */
const tries = 20;
const prompt = 'Which of these numbers is right, and why? '.repeat(24);

/** Counts with V8's precise coverage, over a socket, with everything enabled and the ledger in memory. */
export async function benchCalls(reporter: Reporter): Promise<void> {
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
      for (const row of toRows(await getMin(answer, target))) reporter.row(row);
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
  const socket = await open(target.ports[0] ?? 0);
  const ask = async () => {
    const { sample } = await exchange(socket, request);
    if (!sample.complete) throw new Error(`the gateway answered with ${sample.status}`);
  };
  for (let count = 0; count < before; count += 1) await ask();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let least: CallFigures | null = null;
  for (let count = 0; count < tries; count += 1) {
    await session.post('Profiler.takePreciseCoverage');
    await ask();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const found = { answer, ...countedIn(result) };
    if (least === null || found.calls < least.calls) least = found;
  }
  session.disconnect();
  socket.destroy();
  if (least === null) throw new Error('nothing was counted');
  return least;
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
  let files = 0;
  for (const { url, functions } of scripts) {
    if (!own.some((folder) => url.startsWith(folder))) continue;
    const calls = functions.reduce((sum, { ranges: [all] }) => sum + (all?.count ?? 0), 0);
    if (calls === 0) continue;
    files += 1;
    const folder = url.slice(root.length).split('/').slice(0, 2).join('/');
    folders.set(folder, (folders.get(folder) ?? 0) + calls);
  }
  const sorted = [...folders].sort(([, a], [, b]) => b - a);
  return { calls: sorted.reduce((sum, [, calls]) => sum + calls, 0), files, folders: Object.fromEntries(sorted) };
}

function toRows({ answer, calls, files, folders }: CallFigures): Row[] {
  const all = toRow({
    row: `${answer} answer: calls of our own functions`,
    unit: `in ${files} files`,
    values: [calls],
  });
  const parts = Object.entries(folders).map(([folder, count]) => ({
    ...toRow({ row: `${answer} answer: calls in ${folder}`, unit: '', values: [count] }),
    aside: true as const,
  }));
  return [all, ...parts];
}

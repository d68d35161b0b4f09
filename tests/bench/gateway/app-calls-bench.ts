import { randomUUID } from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { type Channel, serveChannels } from '#core/rpc/serve.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import type { Contract } from '#shared/contract/index.ts';
import { completionEvent } from '../../gateway-doubles/raw-upstream.ts';
import type { Script } from '../../support/fake-gateway.ts';
import { testCore } from '../../support/test-core.ts';
import { type Reporter, type Row, toRow } from '../rows.ts';

/** The number of calls to our own functions for one piece of work. */
interface Counted {
  readonly calls: number;
  readonly functions: number;
  readonly files: number;
  /** Calls by folder, the largest number first. */
  readonly folders: Readonly<Record<string, number>>;
}

type App = Awaited<ReturnType<typeof openApp>>;

const root = new URL('../../../', import.meta.url).href;
const core = ['electron/', 'shared/'];
const all = [...core, 'gateway/'];
/** Rounds before the measured ones, which do all one-time work. */
const warmUps = 6;
/** The smallest count of these rounds is reported, which excludes timers that fire in the others. */
const rounds = 10;
/**
 * The work after the end of an answer, such as looking up open costs, belongs to the question
 * and ends within this time.
 */
const afterMs = 60;
/** Longer than a frame, so that each token reaches the window in a batch of its own. */
const betweenTokensMs = 25;
const tokenCounts = [10, 30] as const;

/**
 * Counts the app's calls for a question, for a token and for a quote, with V8's precise coverage. The page's end of the
 * port and the worker threads aren't included.
 */
export async function benchAppCalls(reporter: Reporter): Promise<void> {
  await withApp({ model: 'openai/gpt', double: true }, async (app) => {
    for (const row of toRows('question, core alone', await getMin(core, () => app.ask()))) reporter.row(row);
    const before = app.requests();
    await app.ask();
    const requests = app.requests() - before;
    reporter.row(toRow({ row: 'question: requests of the core to its gateway', unit: '', values: [requests] }));
    const [short, long] = [await countTokens(app, tokenCounts[0]), await countTokens(app, tokenCounts[1])];
    const perToken = (long.calls - short.calls) / (tokenCounts[1] - tokenCounts[0]);
    reporter.row(
      toRow({ row: 'token that comes alone, from socket to port: calls', unit: '', values: [perToken], atMost: 40 }),
    );
  });
  await withApp({ model: 'openai/gpt-4o-mini', double: false }, async (app) => {
    await app.ask();
    for (const row of toRows('quote, with the gateway', await getMin(all, () => app.quote()))) reporter.row(row);
    for (const row of toRows('question, with the gateway', await getMin(all, () => app.ask()))) reporter.row(row);
  });
}

async function countTokens(app: App, count: number): Promise<Counted> {
  app.answerWith(async function* () {
    for (let token = 0; token < count; token += 1) {
      yield ' word';
      await sleep(betweenTokensMs);
    }
  });
  // Each count has a chat of its own, so that the history is always equally long.
  await app.startChat();
  return getMin(core, () => app.ask(), { warmUps: 1, rounds: 3 });
}

async function withApp(how: { model: string; double: boolean }, work: (app: App) => Promise<void>): Promise<void> {
  const app = await openApp(how);
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

/** A provider that immediately answers with a few words. */
const answerOfOpenAi: typeof fetch = async (_, { body } = {}) => {
  if (!body) return Response.json({ object: 'list', data: [] });
  const words = ['Neither', ' of', ' them', ' is.'].map((content) => completionEvent({ content }));
  const usage = { prompt_tokens: 40, completion_tokens: 5, total_tokens: 45 };
  const end = `${completionEvent({}, { finish_reason: 'stop' })}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;
  return new Response(`${words.join('')}${end}`, { headers: { 'content-type': 'text/event-stream' } });
};

/** Opens a core whose window is connected over a message port, in a chat that the window watches. */
async function openApp({ model, double }: { model: string; double: boolean }) {
  const test = await testCore(
    double ? {} : { openGateway, env: { OPENAI_API_KEY: 'sk-bench' }, fetch: answerOfOpenAi },
  );
  const { gateway } = test;
  let requests = 0;
  if (double) {
    gateway.breakdown = {
      cost_lines: [{ kind: 'input', tokens: 3, usd: '0.000007' }],
      price_as_of: null,
      price_source: 'book',
    };
    const answer = gateway.fetch;
    Object.assign(gateway, {
      fetch(request: Request) {
        requests += 1;
        return answer(request);
      },
    });
  }
  const { port1, port2 } = new MessageChannel();
  serveChannels(test.core)(toChannel(port1));
  const link = new RPCLink<Record<never, never>>({ port: port2 as unknown as globalThis.MessagePort });
  port2.start();
  const client: ContractRouterClient<Contract> = createORPCClient(link);
  await client.models.list();
  const send = (conversationId: string | null) =>
    client.chat.send({ messageId: randomUUID(), conversationId, text: 'Which of these is right, and why?', model });
  const ended = new Set<string>();
  const leaving = new AbortController();
  const watching: Promise<void>[] = [];
  let conversationId = '';
  async function startChat(): Promise<void> {
    conversationId = (await send(null)).conversationId;
    const watch = async () => {
      for await (const event of await client.chat.watch({ conversationId }, { signal: leaving.signal })) {
        if (event.type === 'message-updated' && event.message.status !== 'streaming') ended.add(event.message.id);
      }
    };
    watching.push(watch().catch(() => {}));
    // By then the chat's first answer has ended.
    await sleep(2_000);
  }
  await startChat();

  return {
    startChat,
    requests: () => requests,
    answerWith(script: Script) {
      gateway.script = script;
    },
    async ask(): Promise<void> {
      const { answerId } = await send(conversationId);
      while (!ended.has(answerId)) await sleep(5);
      await sleep(afterMs);
    },
    async quote(): Promise<void> {
      await client.quotes.get({ conversationId, text: 'And how much does it cost?', attachments: [], model });
    },
    async close(): Promise<void> {
      leaving.abort();
      await Promise.all(watching);
      port1.close();
      port2.close();
      await test.close();
    },
  };
}

/**
 * The host's own channel would start the app when it's imported, so the port is adapted here. The host makes one
 * more call for each message.
 */
const toChannel = (port: MessagePort): Channel => ({
  onMessage: (listener) => void port.on('message', listener),
  onClose: (listener) => void port.on('close', listener),
  send: async (data) => port.postMessage(data),
});

async function getMin(
  folders: readonly string[],
  work: () => Promise<void>,
  counts = { warmUps, rounds },
): Promise<Counted> {
  for (let round = 0; round < counts.warmUps; round += 1) await work();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let min: Counted | null = null;
  for (let round = 0; round < counts.rounds; round += 1) {
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const counted = count(result, folders);
    if (min === null || counted.calls < min.calls) min = counted;
  }
  session.disconnect();
  if (min === null) throw new Error('nothing was counted');
  return min;
}

interface Coverage {
  readonly url: string;
  readonly functions: readonly { readonly functionName: string; readonly ranges: readonly { count: number }[] }[];
}

function count(scripts: readonly Coverage[], own: readonly string[]): Counted {
  const folders = new Map<string, number>();
  let [calls, functions, files] = [0, 0, 0];
  for (const { url, functions: found } of scripts) {
    const path = url.startsWith(root) ? url.slice(root.length) : '';
    if (!own.some((folder) => path.startsWith(folder))) continue;
    const called = found.map(({ ranges }) => ranges[0]?.count ?? 0).filter((times) => times > 0);
    if (called.length === 0) continue;
    const sum = called.reduce((total, times) => total + times, 0);
    const folder = path
      .split('/')
      .slice(0, path.startsWith('electron/core') ? 3 : 2)
      .join('/');
    folders.set(folder, (folders.get(folder) ?? 0) + sum);
    calls += sum;
    functions += called.length;
    files += 1;
  }
  return { calls, functions, files, folders: Object.fromEntries([...folders].sort(([, a], [, b]) => b - a)) };
}

function toRows(what: string, { calls, functions, files, folders }: Counted): Row[] {
  const parts = Object.entries(folders).map(([folder, called]) => ({
    ...toRow({ row: `${what}: calls in ${folder}`, unit: '', values: [called] }),
    aside: true as const,
  }));
  return [
    toRow({ row: `${what}: calls of our own functions`, unit: `in ${files} files`, values: [calls] }),
    toRow({ row: `${what}: functions`, unit: '', values: [functions] }),
    ...parts,
  ];
}

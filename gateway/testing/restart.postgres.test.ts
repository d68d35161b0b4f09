import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { openBooks } from '../db/open.ts';
import { openOperator } from '../operator/open-operator.ts';
import { bareEnvironment } from './bare-environment.ts';
import { testDatabase, testPepper } from './test-database.ts';

/**
 * Instances as processes of their own behind a load balancer, under the load of the official SDK. By default a few
 * rounds; PORTICO_RESTARTS=50 makes it a long run.
 */

const entry = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const rounds = Number(process.env.PORTICO_RESTARTS ?? 2);
const patient = { timeout: 90_000, interval: 100 };

/** Makes every `Date` of a process an hour wrong, either way. */
const wrongBy = (hours: number) =>
  `--import=data:text/javascript,${encodeURIComponent(
    `const real = Date.now; Date.now = () => real() + ${hours * 3_600_000};`,
  )}`;

async function startInstance(database: string, more: Record<string, string> = {}) {
  const env = bareEnvironment({ PORTICO_KEY_PEPPER: testPepper, PORTICO_DRAIN_NOTICE: '3', ...more });
  const child: ChildProcess = spawn(process.execPath, [entry, 'serve', '--port', '0', '--db', database], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const reader = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = await Promise.race([once(reader, 'line'), once(child, 'close').then(() => [''])]);
  const port = Number(/:(\d+)$/.exec(String(line))?.[1]);
  if (!port) throw new Error(`it did not start: ${log}`);
  const end = async (signal: NodeJS.Signals) => {
    const closed = once(child, 'exit');
    child.kill(signal);
    const [code] = await closed;
    return code as number | null;
  };
  return { port, end, log: () => log };
}

type Instance = Awaited<ReturnType<typeof startInstance>>;

/** A load balancer as small as one can be: in turn, among those whose `/readyz` says 200. */
async function startBalancer() {
  const ready = new Set<number>();
  let turn = 0;
  const known = new Set<number>();
  let asked = 0;
  const newest = new Map<number, number>();
  const check = async (port: number) => {
    const order = ++asked;
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    // An older answer that comes late says nothing any more.
    if (known.has(port) && order > (newest.get(port) ?? 0)) {
      newest.set(port, order);
      if (answer?.status === 200) ready.add(port);
      else ready.delete(port);
    }
    await answer?.arrayBuffer();
  };
  let checking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    checking = Promise.all([...known].map(check));
  }, 100);
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const ports = [...ready];
    const port = ports[turn++ % ports.length];
    const { method = 'GET', url = '/', headers } = incoming;
    const onward = sendRequest({ port, host: '127.0.0.1', method, path: url, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.on('close', () => {
        if (!answer.complete) outgoing.destroy();
      });
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  };
  const server = createServer(forward);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    clearInterval(timer);
    await checking;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add({ port }: Instance) {
      known.add(port);
      await expect.poll(() => ready.has(port), patient).toBe(true);
    },
    async lose({ port }: Instance) {
      await expect.poll(() => ready.has(port), patient).toBe(false);
      known.delete(port);
    },
  };
}

async function openWorld() {
  const database = await testDatabase();
  const options = { database, env: { PORTICO_KEY_PEPPER: testPepper }, now: Date.now, mayCreate: true };
  const { operator, close } = await openOperator(options);
  onTestFinished(close);
  const { id } = await operator.createAccount({ name: 'Load', plan: 'enterprise' });
  await operator.grant({ accountId: id, amount: parseUsd('1000') });
  const { key } = await operator.createKey({ accountId: id });
  const books = await openBooks(database);
  onTestFinished(() => books.db.destroy());
  const requests = () => books.db.selectFrom('requests').selectAll().execute();
  return { database, operator, key, requests, db: books.db };
}

/** Asks again and again, streamed and not, without the SDK's own retries, until it is stopped. */
function load(url: string, key: string, workers: number) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const acknowledged: string[] = [];
  const failed: string[] = [];
  let stopped = false;
  const messages = [{ role: 'user' as const, content: 'hello there' }];
  async function ask(streamed: boolean): Promise<string> {
    const common = { model: 'sandbox/echo', messages };
    if (!streamed) return (await client.chat.completions.create(common)).id;
    let id = '';
    let reason: string | null = null;
    for await (const chunk of await client.chat.completions.create({ ...common, stream: true })) {
      id = chunk.id;
      reason = chunk.choices[0]?.finish_reason ?? reason;
    }
    if (reason === null) throw new Error('the stream has no end');
    return id;
  }
  async function work(worker: number): Promise<void> {
    for (let turn = worker; !stopped; turn += 1) {
      await ask(turn % 2 === 0).then(
        (id) => acknowledged.push(id),
        (error: unknown) => failed.push(String(error)),
      );
    }
  }
  const done = Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return {
    acknowledged,
    failed,
    /** Waits for so many more answers. */
    async more(count: number) {
      const wanted = acknowledged.length + count;
      await expect.poll(() => acknowledged.length, patient).toBeGreaterThanOrEqual(wanted);
    },
    async stop() {
      stopped = true;
      await done;
    },
  };
}

const inBooks = (id: string) => id.replace(/^chatcmpl-/, 'req_');

async function expectExact({ operator, requests }: Awaited<ReturnType<typeof openWorld>>, acknowledged: string[]) {
  const rows = await requests();
  const ended = new Map(rows.map((row) => [row.id, row.status]));
  expect(acknowledged.filter((id) => ended.get(inBooks(id)) !== 'succeeded')).toEqual([]);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  const report = await operator.verifyBooks();
  expect(report.checks.flatMap((check) => check.problems)).toEqual([]);
}

describe('two instances behind a load balancer', { timeout: 60_000 + rounds * 60_000 }, () => {
  test(`${rounds} restarts under load, drained: not one request fails, and the books are exact`, async () => {
    const world = await openWorld();
    const balancer = await startBalancer();
    const instances = await Promise.all([startInstance(world.database), startInstance(world.database)]);
    for (const instance of instances) await balancer.add(instance);
    const traffic = load(balancer.url, world.key, 6);
    await traffic.more(20);
    for (let round = 0; round < rounds; round += 1) {
      const leaving = instances.shift();
      if (!leaving) throw new Error('unreachable');
      const [code] = await Promise.all([leaving.end('SIGTERM'), balancer.lose(leaving)]);
      expect(code).toBe(0);
      await traffic.more(10);
      const fresh = await startInstance(world.database);
      instances.push(fresh);
      await balancer.add(fresh);
      await traffic.more(10);
    }
    await traffic.stop();
    expect(traffic.failed).toEqual([]);
    await expectExact(world, traffic.acknowledged);
    expect((await world.requests()).filter(({ status }) => status !== 'succeeded')).toEqual([]);
  });

  test('one that is killed loses nothing it acknowledged, and what it ran is ended by the other', async () => {
    const world = await openWorld();
    const balancer = await startBalancer();
    const [doomed, other] = await Promise.all([startInstance(world.database), startInstance(world.database)]);
    await balancer.add(doomed);
    await balancer.add(other);
    const traffic = load(balancer.url, world.key, 6);
    await traffic.more(20);
    await doomed.end('SIGKILL');
    await balancer.lose(doomed);
    await traffic.more(10);
    const again = await startInstance(world.database);
    await balancer.add(again);
    await traffic.more(10);
    await traffic.stop();
    // Instead of waiting a minute for the leases of the dead to end.
    await world.db.updateTable('requests').set({ lease_until: 1n }).where('status', '=', 'running').execute();
    const open = async () => (await world.requests()).filter(({ status }) => status === 'running').length;
    await expect.poll(open, patient).toBe(0);
    await expectExact(world, traffic.acknowledged);
  });

  test('clocks that are an hour wrong, either way, take nothing away from each other', async () => {
    const world = await openWorld();
    const [late, early] = await Promise.all([
      startInstance(world.database, { NODE_OPTIONS: wrongBy(-1) }),
      startInstance(world.database, { NODE_OPTIONS: wrongBy(1) }),
    ]);
    await expect.poll(late.log).toMatch(/"time":/);
    const ask = ({ port }: Instance) =>
      fetch(`http://127.0.0.1:${port}/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'hi', model: 'sandbox/slow', stream: true }),
      });
    const held = [ask(late), ask(early)];
    const running = async () => (await world.requests()).filter(({ status }) => status === 'running');
    await expect.poll(async () => (await running()).length, patient).toBe(2);
    const now = Date.now();
    for (const row of await running()) {
      expect(Math.abs(Number(row.created) - now)).toBeLessThan(600_000);
      expect(Number(row.lease_until)).toBeGreaterThan(now);
      expect(Number(row.lease_until)).toBeLessThan(now + 600_000);
    }
    // A third that starts sweeps at once: what the others run is not theirs to end.
    const third = await startInstance(world.database, { NODE_OPTIONS: wrongBy(1) });
    expect((await running()).length).toBe(2);
    expect(await third.end('SIGTERM')).toBe(0);
    for (const instance of [late, early]) {
      const ended = instance.end('SIGTERM');
      await expect.poll(instance.log, patient).toContain('"draining"');
      void instance.end('SIGTERM');
      expect(await ended).toBe(0);
    }
    await Promise.allSettled(held.map(async (answer) => (await answer).text()));
    expect(await running()).toEqual([]);
    await expectExact(world, []);
  });
});

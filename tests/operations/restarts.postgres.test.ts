import OpenAI from 'openai';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { builtGateway, type GatewayProcess, type GatewayProgram } from '../support/gateway-process.ts';
import { openPricedUpstream, pricedModel } from '../support/priced-upstream.ts';
import { noCaddy } from './caddy.ts';
import { openComposition } from './composition.ts';
import type { Instance } from './instances.ts';
import { openWorld, type World } from './world.ts';

/**
 * Runs the three instances of compose.yaml as processes behind Caddy, under the load of the official SDK. By default
 * each is restarted once; PORTICO_RESTARTS=50 makes it a long run.
 */

const restarts = Number(process.env.PORTICO_RESTARTS ?? 3);
const patient = { timeout: 90_000, interval: 100 };

/** Starts a separate instance whose clock is wrong by this many hours. */
async function wrongInstance({ database, env }: World, hours: number): Promise<GatewayProcess> {
  const script = `const real = Date.now; Date.now = () => real() + ${hours * 3_600_000};`;
  const nodeOptions = [`--import=data:text/javascript,${encodeURIComponent(script)}`];
  const started = await program.start(database, { env, nodeOptions });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}

/**
 * Sends requests without the SDK's own retries until it's stopped: two workers for streams that take seconds, four for
 * short answers, streamed and not.
 */
function load(url: string, key: string) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const acknowledged: string[] = [];
  const failed: string[] = [];
  let stopped = false;
  const messages = [{ role: 'user' as const, content: 'hello there' }];
  async function ask(model: string, streamed: boolean): Promise<string> {
    const common = { model, messages };
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
    for (let index = worker; !stopped; index += 1) {
      const long = worker < 2;
      await ask(long ? pricedModel : 'sandbox/echo', long || index % 2 === 0).then(
        (id) => acknowledged.push(id),
        (error: unknown) => failed.push(String(error)),
      );
    }
  }
  const done = Promise.all(Array.from({ length: 6 }, (_, worker) => work(worker)));
  return {
    acknowledged,
    failed,
    /** Waits for this many more answers. */
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

const toRequestId = (id: string) => id.replace(/^chatcmpl-/, 'req_');

async function expectExact({ operator, requests }: World, acknowledged: string[]) {
  const rows = await requests();
  const ended = new Map(rows.map((row) => [row.id, row.status]));
  expect(acknowledged.filter((id) => ended.get(toRequestId(id)) !== 'succeeded')).toEqual([]);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  const report = await operator.checkLedger();
  expect(report.checks.flatMap((check) => check.problems)).toEqual([]);
}

let program: GatewayProgram;
beforeAll(async () => {
  program = await builtGateway();
});

/** Starts all three with a new ledger. An answer of the priced model takes four seconds. */
async function openThree() {
  const counted = { promptTokens: 10, completionTokens: 10 };
  const upstream = await openPricedUpstream(
    () => counted,
    () => 2000,
  );
  onTestFinished(upstream.close);
  return openComposition(program, upstream.env);
}

describe.skipIf(noCaddy())('three instances behind the proxy', { timeout: 60_000 + restarts * 20_000 }, () => {
  test(`${restarts} restarts under load, one after another, fail no request, cut no stream and leave the ledger exact`, async () => {
    const world = await openThree();
    const traffic = load(world.url, world.key);
    await traffic.more(20);
    for (let restart = 0; restart < restarts; restart += 1) {
      const name = [...world.instances.keys()][restart % 3] ?? '';
      // `docker compose up -d --no-deps --force-recreate --wait` does the same for one service.
      expect(await world.instances.get(name)?.kill('SIGTERM')).toBe(0);
      world.instances.set(name, await world.start(name));
    }
    await traffic.more(20);
    // An instance that came back gets requests again.
    await expect.poll(() => [...world.instances.values()].every(hasAnswered), patient).toBe(true);
    await traffic.stop();
    expect(traffic.failed).toEqual([]);
    await expectExact(world, traffic.acknowledged);
    expect((await world.requests()).filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const verified = await program.run(['ledger', 'verify', '--db', world.database], { env: world.env });
    expect(verified).toMatchObject({ code: 0, last: 'The books are exact.' });
  });

  test('an instance that is killed loses nothing it acknowledged, and the others end its requests', async () => {
    const world = await openThree();
    const traffic = load(world.url, world.key);
    await traffic.more(20);
    await world.instances.get('gateway-1')?.kill('SIGKILL');
    const cut = traffic.failed.length;
    await traffic.more(20);
    await world.start('gateway-1');
    await traffic.more(10);
    await traffic.stop();
    // Each worker may lose its running request, and one that the proxy wrote into an open connection before it noticed
    // the crash. No later request may fail.
    expect(traffic.failed.slice(cut).slice(2 * 6)).toEqual([]);
    // Expires the leases of the dead instance at once, instead of waiting a minute.
    await world.db.updateTable('requests').set({ lease_until: 1n }).where('status', '=', 'running').execute();
    const open = async () => (await world.requests()).filter(({ status }) => status === 'running').length;
    await expect.poll(open, patient).toBe(0);
    await expectExact(world, traffic.acknowledged);
  });
});

const hasAnswered = (instance: Instance) => /"event":"request".*"route":"\/v1\/chat/.test(instance.log());

test("instances whose clocks are an hour wrong, either way, do not end each other's requests", async () => {
  const world = await openWorld();
  const [late, early] = await Promise.all([wrongInstance(world, -1), wrongInstance(world, 1)]);
  await expect.poll(late.log).toMatch(/"time":/);
  const ask = ({ url }: GatewayProcess) =>
    fetch(`${url}/chat`, {
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
  // A third instance looks for abandoned requests when it starts. It must not end those that the others are running.
  const third = await wrongInstance(world, 1);
  expect((await running()).length).toBe(2);
  expect(await third.kill('SIGTERM')).toBe(0);
  for (const instance of [late, early]) {
    const ended = instance.kill('SIGTERM');
    await expect.poll(instance.log, patient).toContain('"draining"');
    // Signals within a second count as one, and a third would end the process with an error.
    const stopAgain = () => {
      if (!instance.log().includes('"drain_cut_short"')) void instance.kill('SIGTERM');
      return instance.log();
    };
    await expect.poll(stopAgain, { ...patient, interval: 1_500 }).toContain('"drain_cut_short"');
    expect(await ended).toBe(0);
  }
  await Promise.allSettled(held.map(async (answer) => (await answer).text()));
  expect(await running()).toEqual([]);
  await expectExact(world, []);
});

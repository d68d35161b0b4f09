import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { postgresPrograms, startPostgres } from '../gateway-doubles/start-postgres.ts';
import { ask, startLoad } from '../support/chat-load.ts';
import { figure } from '../support/figures.ts';
import { builtGateway, type Env, type GatewayProcess, type GatewayProgram } from '../support/gateway-process.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { openPricedUpstream, pricedModel } from '../support/priced-upstream.ts';
import { settledLedger } from '../support/settled-ledger.ts';

const settableClock = fileURLToPath(new URL('../support/settable-clock.ts', import.meta.url));
const pepper = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };
const hourMs = 3_600_000;
/**
 * The clock's offsets from the real time, one after another: wrong daylight saving time, an empty battery, and back.
 */
const jumps = [hourMs, -2 * hourMs, 400 * 24 * hourMs, -5 * 365 * 24 * hourMs, 0];

describe.skipIf(process.platform === 'win32')('when the clock jumps', () => {
  let folder: string;
  let database: string;
  let keys: readonly string[];
  let program: GatewayProgram;
  let gateways: GatewayProcess[];
  beforeAll(async () => {
    program = await builtGateway();
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portico-clock-'));
    database = join(folder, 'ledger.db');
    gateways = [];
  });
  afterEach(async () => {
    for (const gateway of gateways) await gateway.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  async function start(upstream: Env): Promise<GatewayProcess> {
    const gateway = await program.start(database, {
      env: { ...pepper, ...upstream, PORTICO_CLOCK: join(folder, `clock ${gateways.length}`) },
      nodeOptions: ['--import', settableClock],
    });
    gateways.push(gateway);
    return gateway;
  }

  /** Resolves when the program's clock is set. */
  async function setClock(gateway: GatewayProcess, aheadMs: number): Promise<void> {
    const file = join(folder, `clock ${gateways.indexOf(gateway)}`);
    writeFileSync(file, String(aheadMs));
    gateway.child.kill('SIGUSR2');
    await expect.poll(() => existsSync(file)).toBe(false);
  }

  const programs = postgresPrograms();
  describe.each([
    { engine: 'SQLite', servers: 1, runs: true },
    { engine: 'PostgreSQL', servers: 3, runs: programs !== null },
  ])('on $engine with $servers servers', ({ engine, servers, runs }) => {
    test.skipIf(!runs)('no request under load is lost, refused or charged twice', async () => {
      if (programs && engine === 'PostgreSQL') {
        const postgres = await startPostgres(programs);
        onTestFinished(postgres.stop);
        database = await postgres.createDatabase();
      }
      ({ keys } = await prepaidAccount(database, pepper, '1000', 8));
      // Answers take up to 60 ms, so some are running at each jump.
      const upstream = await openPricedUpstream(
        (call) => ({ promptTokens: 5 + (call % 7), completionTokens: 3 + (call % 11) }),
        () => Math.random() * 60,
      );
      onTestFinished(upstream.close);
      while (gateways.length < servers) await start(upstream.env);
      const load = startLoad(6, () => gateways.map(({ url }) => url), keys);
      onTestFinished(load.stop);
      await load.more(40);
      for (const aheadMs of jumps) {
        // The clocks are set one after another, so they differ for a while between servers that share a ledger.
        for (const gateway of gateways) {
          await setClock(gateway, aheadMs);
          await load.more(Math.ceil(60 / servers));
        }
      }
      await load.stop();
      for (const gateway of gateways) expect(await gateway.kill('SIGTERM')).toBe(0);
      expect(load.counts).toMatchObject({ refused: 0, broken: 0 });
      const gatewayDb = await settledLedger(database, pepper, load.reported);
      expect(gatewayDb).toMatchObject({ problems: [], wrong: [], running: 0, held: '0', unreported: 0 });
      // A ledger that several servers share uses PostgreSQL's clock.
      const years = new Set(gatewayDb.requests.map((row) => new Date(Number(row.created)).getUTCFullYear()));
      expect(years.size >= 3).toBe(engine === 'SQLite');
      figure(
        'clocks that jump',
        `${jumps.length} jumps of ${servers} on ${engine} under load, ${load.reported.length} answers acknowledged, ledger exact`,
      );
    });
  });

  test('a running answer is not taken for an abandoned one and is charged', async () => {
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const upstream = await openPricedUpstream(() => ({ promptTokens: 50, completionTokens: 20 }));
    upstream.replyWith(async (call, response) => {
      begun.resolve();
      await goOn.promise;
      await upstream.reply(call, response);
    });
    onTestFinished(upstream.close);
    ({ keys } = await prepaidAccount(database, pepper, '1000', 8));
    const gateway = await start(upstream.env);
    const asked = ask({ url: gateway.url, key: keys[0] ?? '', stream: true });
    await begun.promise;
    await setClock(gateway, 30 * 24 * hourMs);
    // The gateway rereads prices in the same pass that looks for abandoned requests, so a new price
    // shows that the pass has run.
    await program.run(['prices', 'set', pricedModel, '--input', '1', '--output', '2', '--db', database], {
      env: pepper,
    });
    const price = async () => {
      const headers = { authorization: `Bearer ${keys[0]}` };
      return (await (await fetch(`${gateway.url}/v1/models/${pricedModel}`, { headers })).json()).pricing.source;
    };
    await expect.poll(price, { interval: 200 }).toBe('override');
    goOn.resolve();
    const answer = await asked;
    if (answer.kind !== 'complete') throw new Error(`the answer was ${answer.kind}`);
    expect(Number(answer.reported.costUsd)).toBeGreaterThan(0);
    expect(await gateway.kill('SIGTERM')).toBe(0);
    const gatewayDb = await settledLedger(database, pepper, [answer.reported]);
    expect(gatewayDb).toMatchObject({ problems: [], wrong: [], running: 0, held: '0', unreported: 0 });
  });
});

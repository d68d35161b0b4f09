import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLoad } from '../support/chat-load.ts';
import { figure } from '../support/figures.ts';
import { builtGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { openPricedUpstream, pricedModel } from '../support/priced-upstream.ts';
import { settledLedger } from '../support/settled-ledger.ts';

/**
 * Runs one gateway under mixed load for a long time: non-streaming answers and streams, client disconnects, refused
 * requests, account pages, keys that are made and revoked. Only with `PORTICO_LONG=1`: two hours, or
 * PORTICO_SOAK_MINUTES.
 */
const minutes = Number(process.env.PORTICO_SOAK_MINUTES ?? 120);
const sampleEveryMs = 5_000;
/**
 * How much the lowest memory use of the last quarter may exceed that of the second quarter, by when caches are filled.
 */
const maxGrowthMb = 12;
const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };

describe.runIf(process.env.PORTICO_LONG && process.platform === 'linux')(`${minutes} minutes of mixed load`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-soak-'));
  const database = join(folder, 'ledger.db');
  let upstream: Awaited<ReturnType<typeof openPricedUpstream>>;
  let gateway: GatewayProcess;
  let keys: readonly string[];

  beforeAll(async () => {
    upstream = await openPricedUpstream((call) => ({
      promptTokens: 5 + (call % 50),
      completionTokens: 1 + (call % 200),
    }));
    ({ keys } = await prepaidAccount(database, env, '100000', 24));
    gateway = await (await builtGateway()).start(database, { env: { ...env, ...upstream.env } });
  });
  afterAll(async () => {
    await gateway?.kill('SIGKILL');
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const memoryMb = () => {
    const status = readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  const descriptors = () => readdirSync(`/proc/${gateway.child.pid}/fd`).length;

  /** What other callers do, one action after another. */
  async function others(ends: () => boolean): Promise<number> {
    let done = 0;
    const headers = () => ({ authorization: `Bearer ${keys[done % keys.length]}`, 'content-type': 'application/json' });
    const call = (path: string, init: RequestInit = {}) =>
      fetch(`${gateway.url}${path}`, { headers: headers(), ...init });
    const post = (path: string, body: object, more: RequestInit = {}) =>
      call(path, { method: 'POST', body: JSON.stringify(body), ...more });
    while (!ends()) {
      const leaving = new AbortController();
      const chat = { model: pricedModel, stream: true, messages: [{ role: 'user', content: `turn ${done}` }] };
      const left = await post('/v1/chat/completions', chat, { signal: leaving.signal });
      leaving.abort();
      await left.text().catch(() => {});
      for (const path of ['/account', '/credits?limit=20', '/v1/usage', '/v1/requests?limit=20', '/v1/models']) {
        await (await call(path)).text();
      }
      await (await post('/v1/chat/completions', { model: 'nothing/at-all', messages: [] })).text();
      await (await post('/v1/quote', { model: pricedModel, prompt: 'hi' })).text();
      const made = (await (await post('/v1/keys', { label: 'soak' })).json()) as { id?: string };
      if (made.id) await (await call(`/v1/keys/${made.id}`, { method: 'DELETE' })).text();
      done += 1;
      await pause(20);
    }
    return done;
  }

  test('keep memory and descriptors level and the ledger exact', { timeout: (minutes + 10) * 60_000 }, async () => {
    const end = performance.now() + minutes * 60_000;
    const ended = () => performance.now() >= end;
    // As many requests as the limits of six keys allow, 300 a second: the test has to remember every cost of two hours.
    const load = startLoad(6, () => [gateway.url], keys.slice(0, 6));
    const besides = others(ended);
    const samples: { mb: number; open: number }[] = [];
    while (!ended()) {
      await pause(sampleEveryMs);
      samples.push({ mb: memoryMb(), open: descriptors() });
    }
    await load.stop();
    const rounds = await besides;
    expect(gateway.child.exitCode).toBeNull();
    const quarter = (n: number) =>
      samples.slice(Math.floor((samples.length * n) / 4), Math.floor((samples.length * (n + 1)) / 4));
    const lowest = (n: number) => Math.min(...quarter(n).map(({ mb }) => mb));
    const open = (n: number) => Math.max(...quarter(n).map((sample) => sample.open));
    const grownMb = lowest(3) - lowest(1);
    expect(grownMb).toBeLessThanOrEqual(maxGrowthMb);
    expect(open(3)).toBeLessThanOrEqual(open(1) + 4);
    expect(await gateway.kill('SIGTERM')).toBe(0);
    const gatewayDb = await settledLedger(database, env, load.reported);
    expect(gatewayDb).toMatchObject({ problems: [], wrong: [], running: 0, held: '0' });
    const answers = `${load.reported.length} answers and ${rounds} rounds of other calls in ${minutes} minutes`;
    const levels = `memory ${lowest(1).toFixed(0)} to ${lowest(3).toFixed(0)} MB, descriptors ${open(1)} to ${open(3)}`;
    figure('soak', `${answers}: ${levels}, ledger exact`);
    process.stdout.write(`${answers}: ${levels}\n`);
  });
});

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordedStreams } from '../gateway-doubles/recorded-streams.ts';
import { hangingReply, openUpstream, type Upstream } from '../gateway-doubles/upstream-server.ts';
import { figure } from '../support/figures.ts';
import { builtGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { pricedModel } from '../support/priced-upstream.ts';
import { settledLedger } from '../support/settled-ledger.ts';

/**
 * Clients that read the beginning of an answer and hang up. `PORTICO_LONG=1` runs 1,000 of
 * them; the ordinary run fewer.
 */
const leavers = process.env.PORTICO_LONG ? 1_000 : 200;
const atOnce = 20;
const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };
const folder = mkdtempSync(join(tmpdir(), 'portico-leaving-'));
const database = join(folder, 'ledger.db');

let upstream: Upstream;
let gateway: GatewayProcess;
let keys: readonly string[];
beforeAll(async () => {
  upstream = await openUpstream(hangingReply(recordedStreams.openai.slice(0, 3).join('')));
  ({ keys } = await prepaidAccount(database, env, '1000', 4));
  const program = await builtGateway();
  // Without `abort`, the gateway would read an answer that has begun to its end for its token count (decision 102).
  const config = join(folder, 'gateway.json');
  const openai = { apiKey: { env: 'OPENAI_API_KEY' }, baseUrl: `${upstream.origin}/v1`, on_disconnect: 'abort' };
  writeFileSync(config, JSON.stringify({ providers: { openai } }));
  gateway = await program.start(database, { env: { ...env, OPENAI_API_KEY: 'k' }, args: ['--config', config] });
});
afterAll(async () => {
  await gateway?.kill('SIGKILL');
  await upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends a request, reads the first piece and hangs up. Resolves with that time. */
function leave(index: number): Promise<number> {
  const body = JSON.stringify({
    model: pricedModel,
    stream: true,
    messages: [{ role: 'user', content: `n ${index}` }],
  });
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${keys[index % keys.length]}`, 'content-type': 'application/json' };
    const asked = request(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, agent: false }, (answer) => {
      answer.on('error', () => {});
      answer.once('data', () => {
        asked.destroy();
        resolve(performance.now());
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Returns the time from the client's hang-up until the connection to the provider is closed. */
async function untilStopped(index: number): Promise<number> {
  const leftAt = await leave(index);
  const call = upstream.calls.find(({ body }) => JSON.stringify(body.messages).includes(`"n ${index}"`));
  await call?.closed;
  return performance.now() - leftAt;
}

const descriptors = () => readdirSync(`/proc/${gateway.child.pid}/fd`).length;

test.skipIf(process.platform !== 'linux')(
  `${leavers} clients hang up, and each stops its provider and pays for what had arrived, without leaving a descriptor open`,
  { timeout: 600_000 },
  async () => {
    const wave = (from: number) =>
      Promise.all(Array.from({ length: atOnce }, (_, index) => untilStopped(from + index)));
    await wave(leavers);
    const before = descriptors();
    const times: number[] = [];
    for (let from = 0; from < leavers; from += atOnce) times.push(...(await wave(from)));
    await expect.poll(descriptors).toBeLessThanOrEqual(before + 2);
    expect(await gateway.kill('SIGTERM')).toBe(0);
    const gatewayDb = await settledLedger(database, env, []);
    expect(gatewayDb).toMatchObject({ problems: [], running: 0, held: '0' });
    expect(gatewayDb.count('cancelled')).toBe(leavers + atOnce);
    expect(gatewayDb.entries).toHaveLength(leavers + atOnce);
    const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
    figure(
      'disconnects',
      `${leavers} leavers, providers stopped within ${Math.round(p99)} ms (99th percentile), descriptors back`,
    );
  },
);

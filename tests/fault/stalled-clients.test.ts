import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { completionEvent, httpChunk, openRawUpstream, streamHead } from '../gateway-doubles/raw-upstream.ts';
import { figure } from '../support/figures.ts';
import { builtGateway, type GatewayProcess, type GatewayProgram } from '../support/gateway-process.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';

/** Measures the memory that the gateway's process uses for clients that request a flood of data and read none of it. */

const dataDir = mkdtempSync(join(tmpdir(), 'portico-stalled-'));
const stalledClients = 20;
let program: GatewayProgram;
beforeAll(async () => {
  program = await builtGateway();
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const residentMb = ({ child }: GatewayProcess) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;

async function ask(url: string, key: string): Promise<Socket> {
  const question = { model: 'openai/gpt-4o-mini', stream: true, max_tokens: 16_000 };
  const body = JSON.stringify({ ...question, messages: [{ role: 'user', content: 'hi' }] });
  const client = connect(Number(new URL(url).port), '127.0.0.1');
  client.on('error', () => {});
  await once(client, 'connect');
  client.pause();
  client.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return client;
}

test.skipIf(process.platform !== 'linux')(
  'twenty clients that read nothing use less than 300 MB together, however much their providers send',
  async () => {
    const upstream = await openRawUpstream(streamHead);
    const database = join(dataDir, 'ledger.db');
    const env = { OPENAI_API_KEY: 'sk-platform', OPENAI_BASE_URL: `${upstream.origin}/v1` };
    const { keys } = await prepaidAccount(database, {}, '1000', 1);
    const gateway = await program.start(database, { env });
    const before = residentMb(gateway);
    const clients: Socket[] = [];
    for (let made = 0; made < stalledClients; made += 1) clients.push(await ask(gateway.url, keys[0] ?? ''));
    await expect.poll(() => upstream.calls.length).toBe(stalledClients);
    const taken = upstream.flood(httpChunk(completionEvent({ content: 'x'.repeat(60_000) })));
    let last = 0;
    let still = 0;
    const flowing = () => {
      still = taken() === last && last > 0 ? still + 1 : 0;
      last = taken();
      return still < 5;
    };
    await expect.poll(flowing, { interval: 200 }).toBe(false);
    const grownMb = residentMb(gateway) - before;
    expect(grownMb).toBeLessThan(300);
    figure('stalled clients', `${stalledClients} clients: ${Math.round(grownMb)} MB`);
    for (const client of clients) client.destroy();
    expect(await gateway.kill('SIGTERM')).toBe(0);
    await upstream.close();
  },
);

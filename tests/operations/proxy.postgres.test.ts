import { request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openUpstream } from '../gateway-doubles/upstream-server.ts';
import { builtGateway, type GatewayProgram } from '../support/gateway-process.ts';
import { pricedModel } from '../support/priced-upstream.ts';
import { noCaddy } from './caddy.ts';
import { openComposition } from './composition.ts';

/** Tests what the Caddyfile of compose.yaml promises, with Caddy itself in front of the three instances. */

let program: GatewayProgram;
beforeAll(async () => {
  program = await builtGateway();
});

const chunk = (content: string) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** Opens a provider that continues only after it's called to confirm that its first words arrived. */
async function openPatientUpstream() {
  let goOn = () => {};
  const arrived = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const upstream = await openUpstream(async (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk('first'));
    await arrived;
    response.end(`${chunk('last')}data: [DONE]\n\n`);
  });
  onTestFinished(upstream.close);
  return { goOn, env: { OPENAI_API_KEY: 'sk-platform', OPENAI_BASE_URL: `${upstream.origin}/v1` } };
}

/** Returns the status that a caller at this address gets who claims another address in a header. */
async function statusFrom(localAddress: string, url: string, claimed: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer sk-portico-wrong', 'x-forwarded-for': claimed };
    const sent = sendRequest(`${url}/v1/models`, { localAddress, headers, agent: false }, (answer) => {
      void text(answer).then(() => resolve(answer.statusCode ?? 0), reject);
    });
    sent.on('error', reject).end();
  });
}

describe.skipIf(noCaddy())('the proxy', () => {
  test('forwards each event of a stream immediately and exposes only the API', async () => {
    const { goOn, env } = await openPatientUpstream();
    const { url, key, instances } = await openComposition(program, env);
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: pricedModel, messages: [{ role: 'user', content: 'hi' }], stream: true }),
    });
    let read = '';
    for await (const bytes of answer.body ?? []) {
      read += Buffer.from(bytes).toString();
      if (read.includes('first')) goOn();
    }
    expect(read).toMatch(/first.*last.*\[DONE\]/s);
    for (const { metrics } of instances.values()) expect((await fetch(metrics)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });

  test("is trusted about a caller's address, and callers are not", async () => {
    const { url, instances } = await openComposition(program, {});
    const statuses: number[] = [];
    // The caller claims another address each time and reaches any of the three instances. Still all
    // requests count as one caller's.
    for (let count = 0; count < 60 && !statuses.includes(429); count += 1) {
      statuses.push(await statusFrom('127.0.0.1', url, `203.0.113.${count}`));
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses.at(-1)).toBe(429);
    expect(await statusFrom('127.0.0.2', url, '127.0.0.1')).toBe(401);
    for (const instance of instances.values()) {
      expect(await statusFrom('127.0.0.3', instance.url, '127.0.0.1')).toBe(401);
    }
  });
});

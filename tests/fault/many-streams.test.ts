import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openUpstream, type Reply, type Upstream } from '../gateway-doubles/upstream-server.ts';
import { figure } from '../support/figures.ts';
import { builtGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { pricedModel } from '../support/priced-upstream.ts';
import { settledLedger } from '../support/settled-ledger.ts';

/** Many streams at once, each of numbered words. `PORTICO_LONG=1` runs 200 of 1,000 words; the ordinary run fewer. */
const [streams, words] = process.env.PORTICO_LONG ? [200, 1_000] : [100, 300];
const maxMemoryMb = 300;
const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };
const folder = mkdtempSync(join(tmpdir(), 'portico-streams-'));
const database = join(folder, 'ledger.db');

const event = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;

/** Writes ten words, then lets other streams continue. So pieces of all streams alternate, cut where a write ends. */
const numbered: Reply = async (call, response) => {
  const name = JSON.stringify(call.body.messages).match(/stream (\d+)/)?.[1];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let word = 0; word < words; word += 10) {
    const ten = Array.from({ length: 10 }, (_, index) => event({ content: `${name}:${word + index} ` })).join('');
    const cut = (word * 7) % ten.length;
    response.write(ten.slice(0, cut));
    await nextTick();
    if (!response.write(ten.slice(cut))) await new Promise((resolve) => response.once('drain', resolve));
  }
  const usage = { prompt_tokens: 5, completion_tokens: words, total_tokens: words + 5 };
  response.end(
    `${event({}, { finish_reason: 'stop' })}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
  );
};

let upstream: Upstream;
let gateway: GatewayProcess;
let keys: readonly string[];
beforeAll(async () => {
  upstream = await openUpstream(numbered);
  ({ keys } = await prepaidAccount(database, env, '1000', 10));
  const provider = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${upstream.origin}/v1` };
  gateway = await (await builtGateway()).start(database, { env: { ...env, ...provider } });
});
afterAll(async () => {
  await gateway?.kill('SIGKILL');
  await upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a stream's text as its client assembles it, and the cost that it contains. */
async function read(index: number): Promise<{ text: string; reported: { requestId: string; costUsd: string } }> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[index % keys.length]}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: pricedModel,
      stream: true,
      messages: [{ role: 'user', content: `stream ${index}` }],
    }),
  });
  expect(response.status).toBe(200);
  const events = [...(await response.text()).matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json));
  const last = events.findLast((event) => event.usage?.cost_usd);
  return {
    text: events.map(({ choices }) => choices[0]?.delta?.content ?? '').join(''),
    reported: { requestId: response.headers.get('x-request-id') ?? '', costUsd: last?.usage.cost_usd ?? '' },
  };
}

test.skipIf(process.platform !== 'linux')(
  `${streams} streams of ${words} words at once lose, double and mix up nothing, and memory is bounded`,
  { timeout: 300_000 },
  async () => {
    const answers = await Promise.all(Array.from({ length: streams }, (_, index) => read(index)));
    for (const [index, { text }] of answers.entries()) {
      expect(text).toBe(Array.from({ length: words }, (_, word) => `${index}:${word} `).join(''));
    }
    const status = readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8');
    const mb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
    expect(mb).toBeLessThan(maxMemoryMb);
    expect(await gateway.kill('SIGTERM')).toBe(0);
    const reported = answers.map((answer) => answer.reported);
    expect(await settledLedger(database, env, reported)).toMatchObject({
      problems: [],
      wrong: [],
      unreported: 0,
      running: 0,
    });
    figure('streams', `${streams} × ${words} words: 0 lost, doubled or moved; at most ${Math.round(mb)} MB`);
  },
);

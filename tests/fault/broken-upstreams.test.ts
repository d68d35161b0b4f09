import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as getText } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorKinds } from '#shared/errors.ts';
import { recordedStreams } from '../gateway-doubles/recorded-streams.ts';
import { figure } from '../support/figures.ts';
import { builtGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { settledLedger } from '../support/settled-ledger.ts';
import { vendorsAt } from '../support/vendors-at.ts';

/**
 * Every way in which a provider's server can fail, for each vendor, through each API of the gateway,
 * non-streaming and streamed.
 */

const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };
const folder = mkdtempSync(join(tmpdir(), 'portico-broken-'));
const database = join(folder, 'ledger.db');

const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
type Fault = (response: ServerResponse, stream: string) => void;

const status =
  (
    code: number,
    headers: Readonly<Record<string, string>> = {},
    body = '{"error":{"message":"no","code":"x"}}',
  ): Fault =>
  (response) =>
    response.writeHead(code, { ...json, ...headers }).end(body);
const answered =
  (headers: Readonly<Record<string, string>>, body: string | Buffer): Fault =>
  (response) =>
    response.writeHead(200, headers).end(body);

const faults: Readonly<Record<string, Fault>> = {
  'hangs up at once': (response) => response.destroy(),
  'hangs up after its head': (response) => {
    response.writeHead(200, events).flushHeaders();
    setImmediate(() => response.destroy());
  },
  'hangs up in the middle of an event': (response, stream) => {
    response.writeHead(200, events);
    response.write(stream.slice(0, Math.floor(stream.length / 2)), () => response.destroy());
  },
  'ends in the middle of an event': (response, stream) => {
    response.writeHead(200, events).end(stream.slice(0, Math.floor(stream.length / 2)));
  },
  'ends before its last event': (response, stream) => {
    response.writeHead(200, events).end(stream.slice(0, stream.lastIndexOf('data: ')));
  },
  'sends less than it announced': (response) => {
    response.writeHead(200, { ...json, 'content-length': '5000' });
    response.write('{"id":"x"', () => response.destroy());
  },
  'an empty answer': answered(json, ''),
  'an empty stream': answered(events, ''),
  'a stream of nothing but its end': answered(events, 'data: [DONE]\n\n'),
  'a page of HTML': answered({ 'content-type': 'text/html' }, '<!doctype html><title>Sign in</title>'),
  'half a JSON document': answered(json, '{"choices":[{"message":{"role":"assistant","cont'),
  'JSON of another kind': answered(json, '[1,2,3]'),
  null: answered(json, 'null'),
  'events that are no JSON': answered(events, 'data: {"a":\n\ndata: oops\n\n'),
  'events of another kind': answered(events, 'event: ping\ndata: {}\n\nevent: other\ndata: {"type":"other"}\n\n'),
  'bytes that are no text': answered(events, Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a, 0x0a])),
  'an error inside of a stream': answered(
    events,
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","code":503,"message":"busy","status":"UNAVAILABLE"}}\n\n',
  ),
  'a gzip header without gzip content': answered({ ...json, 'content-encoding': 'gzip' }, '{"choices":[]}'),
  'a redirect to another server': status(302, { location: 'http://127.0.0.1:1/' }, ''),
  'not allowed': status(401),
  'not found': status(404),
  'a wrong request': status(400),
  'too large': status(413),
  'too many requests': status(429, { 'retry-after': '1' }),
  'a retry time of three thousand years': status(429, { 'retry-after': '99999999999' }),
  'broken inside': status(500),
  'a bad gateway, in HTML': status(502, { 'content-type': 'text/html' }, '<html>502</html>'),
  overloaded: status(529, {}, '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}'),
  'a status of its own': status(599),
};

const vendors = ['openai/gpt-5.4-mini', 'anthropic/claude-opus-5', 'google/gemini-3.6-flash'];
const ask = (content: string) => [{ role: 'user', content }];
const endpoints: readonly [path: string, body: (model: string, content: string, stream: boolean) => object][] = [
  ['/chat', (model, prompt, stream) => ({ model, prompt, stream })],
  ['/v1/chat/completions', (model, content, stream) => ({ model, messages: ask(content), stream })],
  ['/v1/responses', (model, input, stream) => ({ model, input, stream })],
  ['/v1/messages', (model, content, stream) => ({ model, messages: ask(content), stream, max_tokens: 50 })],
];
/** Embedding models don't stream, so this request isn't part of the list. */
const embeddings = { path: '/v1/embeddings', model: 'openai/text-embedding-3-small' };

let upstream: Server;
let gateway: GatewayProcess;
let keys: readonly string[];
beforeAll(async () => {
  upstream = createServer(fail);
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  ({ keys } = await prepaidAccount(database, env, '1000', 24));
  gateway = await (await builtGateway()).start(database, {
    env: {
      ...env,
      ...vendorsAt(origin),
    },
  });
});
afterAll(async () => {
  await gateway?.kill('SIGKILL');
  upstream?.closeAllConnections();
  upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Fails in the way that the prompt names. */
async function fail(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = await getText(request);
  const name = Object.keys(faults).find((fault) => asked.includes(`<${fault}>`));
  const { openai, anthropic, google } = recordedStreams;
  const path = request.url ?? '';
  const stream = path.includes('/messages') ? anthropic : path.includes('/v1beta/') ? google : openai;
  response.on('error', () => {});
  faults[name ?? '']?.(response, stream.join(''));
}

interface Seen {
  readonly status: number;
  /** Describes what is wrong with the answer; null if nothing is. */
  readonly wrong: string | null;
}

async function outcome(path: string, body: object, index: number): Promise<Seen> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[index % keys.length]}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  return { status: response.status, wrong: isStream ? faultOfStream(text) : faultOfAnswer(response.status, text) };
}

function faultOfAnswer(code: number, text: string): string | null {
  const { error } = JSON.parse(text) as { error?: { code?: string; type: string; message: string } };
  if (code === 200) return error ? 'an error with status 200' : null;
  if (!error?.message) return `status ${code} without an error`;
  // Anthropic's error format has only types, no codes.
  return error.code === undefined || error.code in errorKinds ? null : `an unknown code ${error.code}`;
}

/** Returns null if a stream that has begun ends as its API prescribes: complete, or with an error event. */
function faultOfStream(text: string): string | null {
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, event = '']) => event);
  const last = data.filter((event) => event !== '[DONE]').at(-1);
  if (last === undefined) return 'an empty stream';
  for (const event of data) if (event !== '[DONE]') JSON.parse(event);
  const ends = /"done":true|"finish_reason":"|"error"|response\.(completed|incomplete|failed)|message_stop/;
  return ends.test(data.slice(-4).join('\n')) ? null : `no end: ${last.slice(0, 200)}`;
}

test(`${Object.keys(faults).length} faults of three vendors through ${endpoints.length + 1} endpoints each end in an answer or an error, and the ledger is exact`, {
  timeout: 300_000,
}, async () => {
  const cases = Object.keys(faults).flatMap((fault) => [
    ...vendors.flatMap((model) =>
      endpoints.flatMap(([path, body]) =>
        [false, true].map((stream) => ({ fault, path, body: body(model, `<${fault}>`, stream) })),
      ),
    ),
    { fault, path: embeddings.path, body: { model: embeddings.model, input: `<${fault}>` } },
  ]);
  const descriptors = () => readdirSync(`/proc/${gateway.child.pid}/fd`).length;
  const wrong: string[] = [];
  const statuses = new Map<number, number>();
  let before = Number.POSITIVE_INFINITY;
  for (let from = 0; from < cases.length; from += 25) {
    const some = cases.slice(from, from + 25);
    const seen = await Promise.all(some.map(({ path, body }, index) => outcome(path, body, from + index)));
    for (const [index, outcomeSeen] of seen.entries()) {
      statuses.set(outcomeSeen.status, (statuses.get(outcomeSeen.status) ?? 0) + 1);
      if (outcomeSeen.wrong)
        wrong.push(
          `${some[index]?.fault}: ${some[index]?.path} ${JSON.stringify(some[index]?.body)}: ${outcomeSeen.wrong}`,
        );
    }
    if (from === 25 && process.platform === 'linux') before = descriptors();
  }
  expect(wrong).toEqual([]);
  expect(statuses.get(500) ?? 0).toBe(0);
  if (process.platform === 'linux') await expect.poll(descriptors).toBeLessThanOrEqual(before + 2);
  expect(gateway.log()).not.toMatch(/unhandled|uncaught/i);
  expect(await gateway.kill('SIGTERM')).toBe(0);
  expect(await settledLedger(database, env, [])).toMatchObject({ problems: [], running: 0, held: '0' });
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([code, count]) => `${code}: ${count}`);
  figure('broken upstreams', `${cases.length} requests (${counts.join(', ')}), ledger exact`);
  process.stdout.write(`${counts.join(', ')}\n`);
});

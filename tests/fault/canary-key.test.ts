import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getSpellings } from '#core/backup/secrets-test.ts';
import { openUpstream, type Reply, type Upstream } from '../gateway-doubles/upstream-server.ts';
import { eventually } from '../support/eventually.ts';
import { builtGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { foundIn } from '../support/spellings.ts';

/** Secrets that occur nowhere else. The gateway's own API key is searched for as well. */
const canary = 'byo-Xq7Zk2PwVn94RtLmB3cYd8HsJfA6gEuT';
const platformKey = 'sk-plat-Mw5NvKx81QzRbTfC0yHjLdGpS7aEu2oI';
const folder = mkdtempSync(join(tmpdir(), 'portico-canary-'));
const database = join(folder, 'ledger.db');

let upstream: Upstream;
let gateway: GatewayProcess;
let key = '';
/** Everything that clients received: headers and bodies. */
const answers: Buffer[] = [];

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const delta = (content: string) => event({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] });

/** An upstream that returns the key it was given to the caller wherever it can. */
const echoing: Reply = (call, response) => {
  const secret = String(call.headers.authorization).replace('Bearer ', '');
  const asked = JSON.stringify(call.body);
  const status = Number(/status (\d+)/.exec(asked)?.[1] ?? 200);
  if (status !== 200) {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1', 'x-echo': secret });
    // The gateway forwards upstream texts and removes only an exact copy of the platform's own key, so the other
    // spellings are echoed for the caller's key only.
    const spelled = secret === canary ? getSpellings(secret).map(([, bytes]) => bytes.toString('latin1')) : [];
    return void response.end(
      JSON.stringify({
        error: { message: `Incorrect API key provided: ${secret}. ${spelled}`, code: secret, type: secret },
      }),
    );
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-echo': secret, 'x-request-id': secret });
  response.write(delta('Hello'));
  if (asked.includes('hang')) return;
  if (asked.includes('break')) {
    const error = event({
      error: { message: `The key ${secret} went away`, code: secret, type: secret, param: secret },
    });
    response.write(error.slice(0, 30));
    return void response.end(error.slice(30));
  }
  if (asked.includes('garbage')) return void response.end(`data: {"${secret}\n\ndata: ${secret}\n\n`);
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  response.end(
    `${event({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}data: [DONE]\n\n`,
  );
};

beforeAll(async () => {
  upstream = await openUpstream(echoing);
  const account = await prepaidAccount(database, {}, '10', 1);
  key = account.keys[0] ?? '';
  const program = await builtGateway();
  gateway = await program.start(database, {
    env: { OPENAI_API_KEY: platformKey, OPENAI_BASE_URL: `${upstream.origin}/v1` },
    nodeOptions: ['--report-on-signal', `--report-directory=${folder}`],
  });
});
afterAll(async () => {
  await gateway?.kill('SIGKILL');
  await upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Asking {
  readonly path?: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the client hangs up after the first byte. */
  readonly leaves?: boolean;
}

/**
 * Sends a request and keeps everything that comes back. Resolves with the status, or 0 if the connection
 * broke before there was one.
 */
function ask({ path = '/v1/chat/completions', body, headers = {}, leaves = false }: Asking): Promise<number> {
  return new Promise((resolve) => {
    const took = (response: IncomingMessage) => {
      answers.push(Buffer.from(JSON.stringify(response.rawHeaders)));
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (leaves) response.destroy();
      });
      response.once('error', () => {});
      response.once('close', () => {
        answers.push(Buffer.concat(chunks));
        resolve(response.statusCode ?? 0);
      });
    };
    const call = send(
      `${gateway.url}${path}`,
      { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers } },
      took,
    );
    call.once('error', () => resolve(0));
    call.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

const messages = (content: string) => [{ role: 'user', content }];
const own = { model: 'openai/gpt-4o-mini', byoapi_key: canary };
const statuses = [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 503, 529];

/** Requests that carry the key in the right field and in wrong ones, and that end in every possible way. */
const askings: readonly Asking[] = [
  ...[true, false].flatMap((stream): Asking[] => [
    { body: { ...own, stream, messages: messages('hello') } },
    { path: '/chat', body: { ...own, stream, prompt: 'hello' } },
    { body: { ...own, stream, messages: messages('kept') }, headers: { 'idempotency-key': `kept-${stream}` } },
    { body: { ...own, stream, messages: messages('kept') }, headers: { 'idempotency-key': `kept-${stream}` } },
    { body: { ...own, stream, messages: messages('break') } },
    { body: { ...own, stream, messages: messages('garbage') } },
    ...statuses.map((status): Asking => ({ body: { ...own, stream, messages: messages(`status ${status}`) } })),
    // Requests with the platform's own key, which is a secret, too.
    ...statuses.map(
      (status): Asking => ({
        body: { model: own.model, stream, messages: messages(`status ${status}`) },
      }),
    ),
    { body: { model: own.model, stream, messages: messages('break') } },
  ]),
  { body: { ...own, stream: true, messages: messages('hang') }, leaves: true },
  { path: '/v1/quote', body: { ...own, prompt: 'hello' } },
  { body: { provider: 'router', byoapi_key: canary, messages: messages('hello') } },
  { body: { ...own, byoapi_key: `${canary} with blanks`, messages: messages('hello') } },
  { body: { ...own, byoapi_key: [canary], messages: messages('hello') } },
  { body: { ...own, byoapi_key: canary.repeat(30), messages: messages('hello') } },
  { body: { ...own, byoapi_key: { key: canary }, messages: messages('hello') } },
  { body: { ...own, messages: canary } },
  { body: `{"byoapi_key":"${canary}"` },
  { body: { ...own, messages: messages('hello'), n: 3 }, headers: { 'x-portico-strict': '1' } },
  { body: { ...own, messages: messages('hello') }, headers: { authorization: `Bearer ${canary}` } },
  { body: { ...own, messages: messages('hello') }, headers: { authorization: canary } },
  { body: { ...own, messages: messages('hello') }, headers: { authorization: `Basic ${canary}` } },
  { path: '/nowhere', body: { ...own } },
];

describe('a key that a caller sends', () => {
  test('is found by the search in each of its spellings, also compressed and split across events', () => {
    for (const [name, spelling] of getSpellings(canary)) {
      const hidden = Buffer.concat([Buffer.from('some text '), spelling, Buffer.from(' and more')]);
      expect(foundIn(canary, hidden), name).not.toEqual([]);
      expect(foundIn(canary, gzipSync(hidden)), `${name} in gzip`).not.toEqual([]);
    }
    for (const offset of [0, 1, 2, 3]) {
      const within = Buffer.from(`${'x'.repeat(offset)}${canary} and more`);
      expect(foundIn(canary, Buffer.from(within.toString('base64'))), `base64 at ${offset}`).not.toEqual([]);
    }
    expect(foundIn(canary, Buffer.from(delta(canary.slice(0, 9)) + delta(canary.slice(9))))).toContain('joined: raw');
    expect(foundIn(canary, Buffer.from('nothing of the kind'))).toEqual([]);
  });

  test('is neither in answers and logs nor in the ledger, its write-ahead log and the process report', async () => {
    const seen = new Set<number>();
    for (const asking of askings) seen.add(await ask(asking));
    expect(seen).not.toContain(0);
    // A diagnostic report is written while a request with the key is running.
    const reports = () => readdirSync(folder).filter((name) => name.startsWith('report.'));
    const running = ask({ body: { ...own, stream: true, messages: messages('hang') }, leaves: false });
    await eventually(() => expect(upstream.calls.at(-1)?.body.messages).toEqual(messages('hang')));
    gateway.child.kill('SIGUSR2');
    await eventually(() =>
      expect(JSON.parse(readFileSync(join(folder, reports()[0] ?? ''), 'utf8'))).toBeTypeOf('object'),
    );
    expect(await gateway.kill('SIGKILL')).toBeNull();
    await running;
    expect([...seen].sort()).toEqual(expect.arrayContaining([200, 400, 401, 404]));
    const arrived = upstream.calls.filter((call) => call.headers.authorization === `Bearer ${canary}`);
    expect(arrived.length).toBeGreaterThan(statuses.length * 2);

    const files = readdirSync(folder);
    expect(files).toEqual(expect.arrayContaining(['ledger.db', 'ledger.db-wal', 'ledger.db.pepper', reports()[0]]));
    const places: [string, Buffer][] = [
      ['answers', Buffer.concat(answers)],
      ['log', Buffer.from(gateway.log())],
      ...files.map((name): [string, Buffer] => [name, readFileSync(join(folder, name))]),
    ];
    for (const [secret, name] of [
      [canary, 'the caller’s provider key'],
      [platformKey, 'the platform’s provider key'],
      [key, 'the gateway’s key'],
    ] as const) {
      for (const [place, bytes] of places) expect(foundIn(secret, bytes), `${name} in ${place}`).toEqual([]);
    }
  });
});

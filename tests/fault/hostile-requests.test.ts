import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text as getText } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { errorKinds } from '#shared/errors.ts';
import { usdAmount } from '#shared/wire/scalars.ts';
import { type Operation, operations } from '../../gateway/api/openapi/document.ts';
import { responseSchemas } from '../../gateway/api/openapi/schemas.ts';
import { openVendorDouble } from '../gateway-doubles/vendors/vendor-double.ts';
import type { ReportedCost } from '../support/chat-load.ts';
import { figure } from '../support/figures.ts';
import { builtGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { type HostileRequest, hostileRequest } from '../support/hostile-requests.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { settledLedger } from '../support/settled-ledger.ts';
import { vendorsAt } from '../support/vendors-at.ts';

/**
 * Tests `gateway serve`, in front of vendors that refuse what the real ones refuse, with requests to every route that
 * are almost correct or nothing like it. `PORTICO_LONG=1` sends 50,000; the ordinary run fewer.
 */
const together = 16;
const runs = (process.env.PORTICO_LONG ? 50_000 : 2_000) / together;
const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };
const folder = mkdtempSync(join(tmpdir(), 'portico-hostile-requests-'));
const database = join(folder, 'ledger.db');
const agent = new Agent({ keepAlive: true, maxSockets: together });

let vendors: Server;
let gateway: GatewayProcess;
let keys: readonly string[];
beforeAll(async () => {
  vendors = await serveVendors();
  const origin = `http://127.0.0.1:${(vendors.address() as AddressInfo).port}`;
  ({ keys } = await prepaidAccount(database, env, '1000', 24));
  const program = await builtGateway();
  gateway = await program.start(database, {
    env: {
      ...env,
      ...vendorsAt(origin),
    },
  });
});
afterAll(async () => {
  agent.destroy();
  await gateway?.kill('SIGKILL');
  vendors?.closeAllConnections();
  vendors?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves the vendors' doubles over a socket. */
async function serveVendors(): Promise<Server> {
  const { send } = openVendorDouble();
  const server = createServer(async (incoming, outgoing) => {
    const body = await getText(incoming);
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const answer = await send(`http://127.0.0.1${incoming.url}`, { method: 'POST', headers, body });
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    outgoing.end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function send(sent: HostileRequest): Promise<Answer> {
  const { method, target, headers, body, credential } = sent;
  const authorization = typeof credential === 'number' ? `Bearer ${keys[credential % keys.length]}` : credential;
  const { port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const asked = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path: target,
        agent,
        headers: {
          ...headers,
          ...(authorization === null ? {} : { authorization }),
          ...(body === null ? {} : { 'content-length': body.length }),
        },
      },
      (answer) =>
        void buffer(answer).then((bytes) => {
          // The answer to HEAD names the encoding as well, but is empty.
          const isCompressed = answer.headers['content-encoding'] === 'gzip' && bytes.length > 0;
          const text = (isCompressed ? gunzipSync(bytes) : bytes).toString('utf8');
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        }, reject),
    );
    asked.on('error', (error: NodeJS.ErrnoException) => {
      // The gateway has just closed an idle connection while the request was on its way (RFC 9112,
      // 9.3.1), so it is sent again.
      if (asked.reusedSocket && error.code === 'ECONNRESET') resolve(send(sent));
      else reject(error);
    });
    asked.end(body ?? undefined);
  });
}

/** Describes what is wrong with an answer; null if nothing is. */
function fault({ method, policy }: HostileRequest, { status, headers, text }: Answer): string | null {
  if (!headers['x-request-id'] && policy !== null) return 'no request id';
  // 502 would mean a failure of a vendor, and these doubles never fail. A slow machine may
  // answer 503 with a time to wait.
  const isBusy = status === 503 && Number(headers['retry-after']) > 0;
  if (status >= 500 && !isBusy) return `status ${status}: ${text.slice(0, 300)}`;
  if (method === 'HEAD' || status === 204 || status === 304) return text === '' ? null : 'a body where there is none';
  const operation = policy?.startsWith(`${method} `) ? operations[policy] : undefined;
  if (status >= 400) return faultOfError(operation, status, text);
  if (!operation) return status === 200 ? null : `status ${status}`;
  if (status !== (operation.status ?? 200)) return `status ${status}`;
  if (String(headers['content-type']).startsWith('text/event-stream')) return faultOfStream(operation, text);
  return operation.response.includes('/') ? null : mismatch(operation.response, text);
}

function faultOfError(operation: Operation | undefined, status: number, text: string): string | null {
  const wrong = mismatch(operation?.error ?? 'Error', text);
  if (wrong || operation?.error) return wrong;
  const { code, status_code: bodyStatus } = (JSON.parse(text) as { error: { code: string; status_code: number } })
    .error;
  if (!(code in errorKinds)) return `a code that no list has: ${code}`;
  return bodyStatus === status ? null : `status ${status}, but status_code ${bodyStatus}`;
}

function faultOfStream({ stream, error }: Operation, text: string): string | null {
  if (!stream) return 'a stream where none is offered';
  for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) {
    if (data === '[DONE]') continue;
    if (mismatch(stream, data) && mismatch(error ?? 'Error', data)) return `an event: ${mismatch(stream, data)}`;
  }
  return null;
}

function mismatch(name: Operation['response'], text: string): string | null {
  const schema: z.ZodType | undefined = responseSchemas[name as keyof typeof responseSchemas];
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return `not JSON: ${text.slice(0, 100)}`;
  }
  const issue = schema?.safeParse(json).error?.issues[0];
  return issue ? `not a ${name}: ${issue.path.join('.')} ${issue.message} in ${text.slice(0, 300)}` : null;
}

/**
 * Returns the cost in a complete answer. A replay under the same `Idempotency-Key` costs nothing
 * more, so it doesn't count.
 */
function getReportedCost({ status, headers, text }: Answer): ReportedCost[] {
  if (
    status !== 200 ||
    headers['idempotent-replayed'] ||
    !String(headers['content-type']).startsWith('application/json')
  )
    return [];
  const { cost_usd, usage } = JSON.parse(text) as { cost_usd?: string; usage?: { cost_usd?: string } };
  const cost = usdAmount.safeParse(usage?.cost_usd ?? cost_usd);
  const requestId = String(headers['x-request-id']);
  return cost.success ? [{ requestId, costUsd: cost.data }] : [];
}

test(`${runs * together} requests over all routes are answered as their schema prescribes, break nothing and leave the ledger exact`, {
  timeout: 1_800_000,
}, async () => {
  const statuses = new Map<number, number>();
  const reported: ReportedCost[] = [];
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(hostileRequest, { minLength: together, maxLength: together }), async (requests) => {
      const answers = await Promise.all(requests.map(send));
      sent += answers.length;
      for (const [index, answer] of answers.entries()) {
        const asked = requests[index] as HostileRequest;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (asked.method === 'POST' && chats.has(asked.policy ?? '')) reported.push(...getReportedCost(answer));
        const wrong = fault(asked, answer);
        if (wrong) throw new Error(`${wrong}\n${asked.method} ${asked.target}\n${asked.body?.toString() ?? ''}`);
      }
    }),
    { numRuns: runs, endOnFailure: true },
  );
  expect(gateway.child.exitCode).toBeNull();
  expect(gateway.log()).not.toMatch(/internal_error|unhandled|uncaught/i);
  expect(await gateway.kill('SIGTERM')).toBe(0);
  const gatewayDb = await settledLedger(database, env, reported);
  expect(gatewayDb).toMatchObject({ problems: [], wrong: [], running: 0, held: '0' });
  // Enough of the requests succeeded to make the test meaningful.
  expect(reported.length).toBeGreaterThan(sent / 50);
  expect(statuses.get(200)).toBeGreaterThan(sent / 8);
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  figure('fuzz: HTTP', `${sent} requests (${counts.join(', ')}), ${reported.length} bills as recorded`);
  process.stdout.write(`${counts.join(', ')}; ${reported.length} bills\n`);
});

/** The routes that hold and charge. A quote also contains a cost, but nobody pays it. */
const chats = new Set(
  ['/chat', '/api/chat', '/v1/chat/completions', '/v1/responses', '/v1/messages', '/v1/embeddings'].map(
    (path) => `POST ${path}`,
  ),
);

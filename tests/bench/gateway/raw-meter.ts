import { createHash } from 'node:crypto';
import { closeSync, fdatasync, openSync, write } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

/**
 * The floor that the gateway is compared with: the least that a metering proxy can do. It parses the body, finds the
 * key by its digest, chooses the upstream by model, forwards the answer while reading its usage, and appends one
 * durable line per request to a ledger file, many lines in one sync.
 */
const [port, upstream, ledger, key] = [
  Number(process.argv[2]),
  process.argv[3] ?? '',
  process.argv[4] ?? '',
  process.argv[5] ?? '',
];
const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
const accounts = new Map([[digest(key), { balance: 10n ** 15n }]]);
const pools = new Map([['openai', new Pool(upstream, { connections: 1024 })]]);
const file = openSync(ledger, 'a');
process.on('exit', () => closeSync(file));

let batch: string[] = [];
let syncing = false;

createServer((request, response) => {
  read(request, (body) => {
    const account = accounts.get(digest((request.headers.authorization ?? '').slice(7)));
    if (!account) return refuse(response, 401);
    const parsed = JSON.parse(body.toString()) as { model: string };
    const pool = pools.get(parsed.model.split('/')[0] ?? '');
    if (!pool) return refuse(response, 404);
    const sent = Buffer.from(JSON.stringify({ ...parsed, model: parsed.model.slice(parsed.model.indexOf('/') + 1) }));
    pool.dispatch(
      {
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': String(sent.length) },
        body: sent,
      },
      metered(response, (tokens) => {
        account.balance -= BigInt(tokens) * 750n;
        append(`${Date.now()} ${parsed.model} ${tokens} ${account.balance}\n`);
      }),
    );
  });
}).listen(port, '127.0.0.1');

function read(request: IncomingMessage, done: (body: Buffer) => void): void {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => done(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

function metered(response: ServerResponse, recordUsage: (tokens: number) => void): Dispatcher.DispatchHandler {
  let tail = '';
  return {
    onRequestStart(controller) {
      response.on('close', () => {
        if (!response.writableFinished) controller.abort(new Error('client gone'));
      });
    },
    onResponseStart(_controller, status, headers) {
      response.writeHead(status, { 'content-type': String(headers['content-type'] ?? 'application/json') });
    },
    onResponseData(controller, data) {
      if (data.includes('"usage"')) tail = data.toString();
      if (!response.write(data)) {
        controller.pause();
        response.once('drain', () => controller.resume());
      }
    },
    onResponseEnd() {
      recordUsage(Number(/"total_tokens":(\d+)/.exec(tail)?.[1] ?? 0));
      response.end();
    },
    onResponseError() {
      response.destroy();
    },
  };
}

/** Writes and syncs all lines together that arrived while the previous write was running. */
function append(line: string): void {
  batch.push(line);
  if (syncing) return;
  syncing = true;
  const lines = batch.join('');
  batch = [];
  write(file, lines, () =>
    fdatasync(file, () => {
      syncing = false;
      if (batch.length) append(batch.pop() ?? '');
    }),
  );
}

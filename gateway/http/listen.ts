import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, type Http2Bindings, type HttpBindings, RequestError } from '@hono/node-server';
import { AppError, toAppError } from '#shared/errors.ts';
import { uploadStalled, watchUploads } from '../access/overload/upload-pace.ts';
import { newId } from '../storage/id.ts';
import { createCrossOrigin } from './browser/cross-origin.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import { errorEnvelope, errorFor, errorResponse } from './error-response.ts';
import type { ConnectionInfo, HttpExchange } from './exchange.ts';
import { isChat } from './policies.ts';
import { clientRequestId, commonHeaders } from './request-context.ts';
import { SocketExchange } from './socket-exchange.ts';
import { version } from './version.ts';

interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host?: string;
  /** Names under which the gateway may be addressed, besides the loopback ones (`api.example.com`, without a port). */
  readonly hosts?: readonly string[];
  /** Origins whose pages may call the gateway from a browser (`https://app.example.com`); none when it is missing. */
  readonly origins?: readonly string[];
  /** The proxies whose headers are trusted for the client's address. None are trusted when it is missing. */
  readonly proxies?: TrustedProxies | null;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops taking connections and ends those that are open. Drain the gateway first. */
  close(): Promise<void>;
}

/** The gateway behind the port. */
interface Gated {
  fetch(request: Request, door?: ConnectionInfo): Promise<Response>;
  /** Answers a chat; never rejects. Without this function `fetch` answers chats as well. */
  answerChat?(exchange: HttpExchange): Promise<void>;
  /** Returns why a chat cannot be taken now, before it is read. Null: give it to `answerChat`. Counts the refusals. */
  shed?(target: string, authorization: string | null): AppError | null;
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** Node's limits on slow and greedy clients; a streaming answer is governed by the engine's own timers. */
const serverLimits = {
  headersTimeout: 5000,
  // How long a complete request may take depends on its size (`overload/upload-pace.ts`).
  requestTimeout: 0,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
  maxHeaderSize: 16_384,
  // A request without a Host header is refused with an envelope, like one for another name.
  requireHostHeader: false,
};

const lastBytesMs = 1000;
/** A client that takes nothing of its answer for this time counts as disconnected (docs/decisions/026). */
const stallMs = 60_000;

/** Puts a gateway on a port of this machine. Throws `port_unavailable` when the port is taken or not allowed. */
export async function listen(gateway: Gated, options: ListenOptions): Promise<Listening> {
  const host = options.host ?? '127.0.0.1';
  const names = new Set([...loopbackNames, host, ...(options.hosts ?? [])].map((name) => name.toLowerCase()));
  const proxies = options.proxies ?? null;
  const crossOrigin = createCrossOrigin(options.origins ?? []);
  const answer = (request: Request, { incoming }: HttpBindings | Http2Bindings) =>
    isAddressedToUs(request.headers.get('host'), names)
      ? gateway.fetch(request, { address: clientAddress(incoming, proxies) })
      : wrongHost();
  const errorHandler = (error: unknown) => errorResponse(unanswered(error), newId('req', Date.now()));
  const ordinary = getRequestListener(answer, { overrideGlobalObjects: false, errorHandler });
  const server = createServer(serverLimits, (incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const isOurs = isAddressedToUs(incoming.headers.host ?? null, names);
    if (isOurs && crossOrigin(incoming, outgoing)) return;
    if (isOurs && gateway.answerChat && isChat(method, url)) {
      const refusal = gateway.shed?.(url, incoming.headers.authorization ?? null);
      const exchange = new SocketExchange(incoming, outgoing, clientAddress(incoming, proxies), stallMs);
      if (refusal) return refuseConnection(refusal, exchange);
      void gateway.answerChat(exchange);
    } else void ordinary(incoming, outgoing.setTimeout(stallMs));
  });
  answerClientErrors(server);
  watchUploads(server);
  server.maxHeadersCount = 100;
  server.maxRequestsPerSocket = 1000;
  // More than the gateway takes at once (`overload/overload.ts`), so that a client that is one too many gets an error.
  server.maxConnections = 2000;
  await start(server, options.port, host);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        // Complete answers still have to reach their clients.
        const cut = setTimeout(() => server.closeAllConnections(), lastBytesMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
      }),
  };
}

/** The adapter refuses requests without a valid URL. Any other error that escapes the app is ours. */
const unanswered = (error: unknown) => (error instanceof RequestError ? malformed() : toAppError(error));

/** A page in the user's browser can make its own host name resolve to 127.0.0.1, but the Host header then still contains that name. */
const isAddressedToUs = (host: string | null, names: ReadonlySet<string>) =>
  names.has((host ?? '').replace(/:\d+$/, '').toLowerCase());

function wrongHost(): Response {
  const error = new AppError('ip_not_allowed', 'This gateway does not answer under this host name. Use 127.0.0.1.');
  return errorResponse(error, newId('req', Date.now()));
}

function start(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(unavailable(port, cause)));
    server.listen(port, host, () => resolve());
  });
}

function unavailable(port: number, cause: NodeJS.ErrnoException): AppError {
  const why = cause.code === 'EADDRINUSE' ? 'another program uses it' : cause.message;
  return new AppError('port_unavailable', `Port ${port} cannot be used: ${why}. Choose another port.`, { cause });
}

/**
 * Gives Node's own error answers (for input that is not HTTP, headers that are too large, or requests that come too slowly) the error
 * envelope of all others (wire contract §3.1). Nothing is written into an answer that has begun.
 */
export function answerClientErrors(server: Server, now: () => number = Date.now): void {
  const begun = new WeakMap<Socket, ServerResponse>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    begun.set(request.socket, response);
  });
  server.on('clientError', (cause: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const last = begun.get(socket);
    const isAnswering = last?.headersSent && !last.closed;
    const mayAnswer = socket.writable && cause.code !== 'ECONNRESET' && !isAnswering;
    if (mayAnswer) socket.end(rawResponse(getFault(cause), newId('req', now())));
    else socket.destroy();
  });
}

/** The contract's error for a parser error of Node's. */
export function getFault({ code }: NodeJS.ErrnoException): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', 'The request line and headers are larger than 16 KiB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The request took too long to arrive. Send it again.', {
        retryAfterMs: 1000,
      });
    case 'ERR_UPLOAD_STALLED':
      return uploadStalled();
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('request_too_large', 'The extensions of the body’s chunks are too large.');
    default:
      return malformed();
  }
}

export const malformed = () => new AppError('malformed_request', 'What arrived is not a valid HTTP/1.1 request.');

function rawResponse(error: AppError, requestId: string): string {
  const body = JSON.stringify(errorEnvelope(error, requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'Cache-Control: no-store',
    'x-content-type-options: nosniff',
    ...(error.retryAfterMs === undefined ? [] : [`Retry-After: ${Math.ceil(error.retryAfterMs / 1000)}`]),
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/**
 * Refuses a request before anything of it is read, with the usual headers. That costs a small part of what an answer does, and keeps the
 * connection open.
 */
function refuseConnection(error: AppError, exchange: HttpExchange): void {
  const requestId = newId('req', Date.now());
  const { status, headers, text } = errorFor(exchange.target, error, requestId);
  const echoed = clientRequestId(exchange);
  const own = commonHeaders(requestId, version, headers);
  exchange.send(status, echoed === null ? own : { ...own, 'x-client-request-id': echoed }, text);
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type Http2Bindings, type HttpBindings, RequestError } from '@hono/node-server';
import { AppError, toAppError } from '#shared/errors.ts';
import { newId } from '../db/id.ts';
import type { Gateway } from '../gateway.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import { answerClientErrors, malformed } from './client-error.ts';
import { errorResponse } from './error-response.ts';
import { routePolicies } from './policies.ts';
import { refuseAtDoor } from './refuse-at-door.ts';
import { SocketRequest } from './socket-request.ts';
import { writeAnswer, writeResponse } from './write-response.ts';

export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host?: string;
  /** Names under which the gateway may be addressed, besides the loopback ones (`api.example.com`, without a port). */
  readonly hosts?: readonly string[];
  /** Whose word is taken for where a request comes from; nobody's where it is missing. */
  readonly proxies?: TrustedProxies | null;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops taking connections and ends those that are open. Drain the gateway first. */
  close(): Promise<void>;
}

type Gated = Pick<Gateway, 'fetch' | 'shed'>;

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** Node's limits on slow and greedy clients; a streaming answer is governed by the engine's own timers. */
const serverLimits = {
  headersTimeout: 5000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
  maxHeaderSize: 16_384,
  // A request without one is refused like one for another name, with an envelope.
  requireHostHeader: false,
};

const lastBytesMs = 1000;
/** A client that takes nothing of its answer for so long has left (docs/decisions/026). */
const stallMs = 60_000;

const chatPaths = new Set(routePolicies.filter(({ access }) => access === 'chat').map(({ path }) => path));

/** Puts a gateway on a port of this machine. Throws `port_unavailable` where the port is taken or not allowed. */
export async function listen(gateway: Gated, options: ListenOptions): Promise<Listening> {
  const host = options.host ?? '127.0.0.1';
  const names = new Set([...loopbackNames, host, ...(options.hosts ?? [])].map((name) => name.toLowerCase()));
  const proxies = options.proxies ?? null;
  const answer = (request: Request, { incoming }: HttpBindings | Http2Bindings) =>
    isAddressedToUs(request.headers.get('host'), names)
      ? gateway.fetch(request, { address: clientAddress(incoming, proxies) })
      : wrongHost();
  const errorHandler = (error: unknown) => errorResponse(unanswered(error), newId('req', Date.now()));
  const ordinary = getRequestListener(answer, { overrideGlobalObjects: false, errorHandler });
  const server = createServer(serverLimits, (incoming, outgoing) => {
    const direct = isChat(incoming) && isAddressedToUs(incoming.headers.host ?? null, names);
    const refusal = direct && gateway.shed?.(incoming.url ?? '', incoming.headers.authorization ?? null);
    if (refusal) refuseAtDoor(refusal, incoming, outgoing);
    else if (direct) void answerDirectly(gateway, incoming, outgoing, clientAddress(incoming, proxies));
    else void ordinary(incoming, outgoing.setTimeout(stallMs));
  });
  answerClientErrors(server);
  server.maxHeadersCount = 100;
  server.maxRequestsPerSocket = 1000;
  // Above what the gateway takes at once (`overload/overload.ts`), so that whoever is one too many is told so.
  server.maxConnections = 2000;
  await start(server, options.port, host);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        // Answers that are complete still have to reach their readers.
        const cut = setTimeout(() => server.closeAllConnections(), lastBytesMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
      }),
  };
}

/** The adapter refuses what makes no URL; anything else that escapes the app is ours. */
const unanswered = (error: unknown) => (error instanceof RequestError ? malformed() : toAppError(error));

const isChat = ({ method, url }: IncomingMessage) => method === 'POST' && chatPaths.has(url ?? '');

/** The chat routes' way: no `Request`, no `Response`, no web stream between the socket and the engine. */
async function answerDirectly(
  gateway: Gated,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  address: string,
): Promise<void> {
  try {
    const door = { takesParts: true, address };
    const response = await gateway.fetch(new SocketRequest(incoming, outgoing).asRequest(), door);
    if (!writeAnswer(response, outgoing, stallMs)) await writeResponse(response, outgoing, stallMs);
  } catch {
    // An answer that cannot be completed must not look complete (wire contract §0.3).
    outgoing.destroy();
  }
}

/** A page in the user's browser can make its own name resolve to 127.0.0.1; the Host header then still is that name. */
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

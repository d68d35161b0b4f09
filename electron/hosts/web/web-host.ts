import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { html } from 'hono/html';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { isDiagramFile, pageHeaders, printHeaders, readPageFile } from '#core/runtime/host/page.ts';
import type { Language } from '#shared/language/messages.ts';
import { pageText } from './page-text.ts';
import { printFolder } from './print-pages.ts';
import {
  allowedHosts,
  type Claim,
  type Refusal,
  refuseFileRequest,
  refuseForeignOrigin,
  refuseHost,
} from './request-rules.ts';

/**
 * Decides who may reach the core over loopback (security page, rules 13–16). A one-time secret from the terminal is
 * exchanged for a session. The page proves that it knows the secret without sending it, and the server proves itself
 * back in the same way. Both proofs contain the origin, so a program on another port can neither relay nor replay them.
 */

interface Bootstrap {
  readonly origin: string;
  readonly nonce: string;
  /** HMAC-SHA-256 of `page <origin> <nonce>` with the secret as key, in hex. */
  readonly proof: string;
}

interface Session {
  readonly token: string;
  /** HMAC-SHA-256 of `core <origin> <nonce>` with the same key, in hex. */
  readonly proof: string;
}

interface Secret {
  /** 43 characters. They are also the HMAC key. */
  readonly text: string;
  readonly diesAt: number;
  /** The page that proved it first. The answer to that page may have been lost. */
  readonly taken?: { readonly nonce: string; readonly session: string };
}

/** How long a secret is valid, because it might be found later in a terminal, a log or a history. */
const secretLifeMs = 60_000;
const maxSecrets = 16;
const maxSessions = 64;
/** After this many wrong proofs, all unused secrets are revoked. */
const maxWrongProofs = 20;

/** `elapsed` is a monotonic clock in milliseconds. */
function openAccess(elapsed: () => number) {
  /** Secrets whose session wasn't used yet, oldest first. */
  let secrets: readonly Secret[] = [];
  const sessions = new Set<string>();
  let wrongProofs = 0;

  const alive = () => {
    secrets = secrets.filter(({ diesAt }) => elapsed() < diesAt);
    return secrets;
  };

  function countWrongProof(): null {
    wrongProofs++;
    if (wrongProofs >= maxWrongProofs) secrets = [];
    return null;
  }

  function addSession(session: string): void {
    sessions.add(session);
    const [oldest] = sessions;
    if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
  }

  return {
    /** Creates a one-time secret, valid for `secretLifeMs`. If there are too many, the oldest unused one is dropped. */
    newSecret(): string {
      const text = randomBytes(32).toString('base64url');
      if (alive().length === 0) wrongProofs = 0;
      secrets = [...alive(), { text, diesAt: elapsed() + secretLifeMs }].slice(-maxSecrets);
      return text;
    },
    isUnused: (secret: string) => alive().some(({ text, taken }) => text === secret && !taken),
    /**
     * Opens the session of a page that proved a secret. Returns null without a valid proof. A page that was reloaded
     * before the answer arrived asks again with the same nonce and gets the same session, because a secret serves only
     * one nonce.
     */
    open({ origin, nonce, proof }: Bootstrap): Session | null {
      const proved = alive().find(
        ({ text, taken }) => (taken?.nonce ?? nonce) === nonce && same(proof, hmac(text, `page ${origin} ${nonce}`)),
      );
      if (!proved) return countWrongProof();
      const token = hmac(proved.text, `session ${origin} ${nonce}`, 'base64url');
      if (!proved.taken) {
        const session = digest(token);
        addSession(session);
        secrets = secrets.map((secret) => (secret === proved ? { ...secret, taken: { nonce, session } } : secret));
      }
      return { token, proof: hmac(proved.text, `core ${origin} ${nonce}`) };
    },
    /**
     * Whether a session has this token. If so, its secret is revoked, because the answer has evidently reached the
     * page. The lookup uses a digest, so timing reveals nothing about the token.
     */
    admit(token: string): boolean {
      const session = digest(token);
      secrets = secrets.filter(({ taken }) => taken?.session !== session);
      return sessions.has(session);
    },
  };
}

type Access = ReturnType<typeof openAccess>;

const hmac = (secret: string, text: string, encoding: 'hex' | 'base64url' = 'hex') =>
  createHmac('sha256', secret).update(text).digest(encoding);
const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const same = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)));

const connectStylePath = '/connect.css';

/** The page for a browser without a session, which explains how to connect. It has no scripts. */
async function connectPage(language: Language, url: string): Promise<string> {
  const { title, heading, why, terminal, open, restarted } = pageText(language).connect;
  return String(
    await html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${connectStylePath}">
</head>
<body>
<main>
<h1>${heading}</h1>
<p>${why}</p>
<ol>
<li>${terminal}</li>
<li>${open} <code>${url}#b=…</code></li>
</ol>
<p>${restarted}</p>
</main>
</body>
</html>
`,
  );
}

/** The app's colours. The app's fonts are missing, because their file names change with every build. */
const connectStyle = `
:root { color-scheme: light dark; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; box-sizing: border-box;
  background: light-dark(#ffffff, #111113); color: light-dark(#1c1c1f, #ededef);
  font: 15px/1.6 Inter, system-ui, sans-serif;
}
main { max-width: 36rem; }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 1rem; }
li { margin: 0.5rem 0; }
code { font: 0.9em "JetBrains Mono", ui-monospace, monospace; overflow-wrap: anywhere; }
`;

interface LinksOptions {
  readonly url: string;
  readonly access: Access;
  readonly elapsed: () => number;
  /** Prints a link in the terminal. */
  readonly print: (link: string) => void;
}

/**
 * The least time between printed links. Requests must neither flood the terminal nor scroll away the link that the user
 * is copying.
 */
const betweenPrintsMs = 5000;

/** One-time links for browsers. Each is created on demand, because it expires after a minute. */
function openLinks({ url, access, elapsed, print }: LinksOptions) {
  let printed = '';
  let printedAt = Number.NEGATIVE_INFINITY;
  const getLink = (secret: string) => `${url}#b=${secret}`;

  function show(): void {
    printed = access.newSecret();
    printedAt = elapsed();
    print(getLink(printed));
  }

  return {
    /** Creates a link without printing it. */
    make: () => getLink(access.newSecret()),
    /** Prints a new link, when the user asks for it in the terminal. */
    show,
    /** Prints a new link when it is requested over the network. Skipped while a recently printed link is valid. */
    showOnRequest(): void {
      if (elapsed() - printedAt < betweenPrintsMs && access.isUnused(printed)) return;
      show();
    },
  };
}

export interface WebHostOptions {
  /** 0 uses any free port. */
  readonly port: number;
  /** The folder of the built page. */
  readonly pageFolder: string;
  /** Returns a page to print, once. Null if there is none at this path. */
  readonly takePrint: (pathname: string) => string | null;
  /** Serves the core over a socket. */
  readonly serve: (socket: WebSocket) => void;
  /** Prints a one-time link in the terminal. */
  readonly printLink: (link: string) => void;
  /** The language of the host's own pages. */
  readonly language: () => Language;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
}

export interface WebHost {
  readonly url: string;
  /** Creates a one-time link, valid for a minute. */
  newLink(): string;
  showLink(): void;
  close(): Promise<void>;
}

/** A message of 2,000,000 characters (the contract's limit) with maximal escaping, plus the envelope. */
const maxMessageBytes = 13 * 1_048_576;
const maxBodyBytes = 4096;
/** WebSocket's close code for a server that ends (RFC 6455 §7.4.1). */
const goingAway = 1001;
/** How long to wait for a page when the server ends. A hanging page must not keep it running. */
const closeLimitMs = 1000;
const protocolName = 'portico';
const bootstrap = z.object({ nonce: z.string().min(16).max(128), proof: z.string().length(64) });

/**
 * The loopback server. It offers the same page and the same core to a browser on this computer (security page, rules
 * 13–18).
 */
export async function openWebHost(options: WebHostOptions): Promise<WebHost> {
  const { elapsed, printLink, language } = options;
  const access = openAccess(elapsed);
  const server = await listenOnLoopback(options.port);
  const { port } = server.address() as AddressInfo;
  const hosts = allowedHosts(port);
  const url = `http://127.0.0.1:${port}/`;
  const links = openLinks({ url, access, elapsed, print: printLink });

  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(protocolName) ? protocolName : false),
  });

  server.on('request', (request, response) => {
    const refusal = refuseHost(request, hosts);
    if (refusal) return refuse(response, refusal);
    // The path is used as sent, because a URL parser would read `//name/` as another host.
    const pathname = (request.url ?? '').split('?', 1)[0] ?? '';
    const answer = pathname === '/session' ? openSession : sendFile;
    answer(request, response, pathname).catch(() => response.destroy());
  });

  function refuse(response: ServerResponse, { status, why }: Refusal): void {
    response.setHeader('connection', 'close');
    send(response, status, 'text/plain; charset=utf-8', `${pageText(language()).refusals[why]}\n`);
  }

  async function openSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refuseForeignOrigin(request, 'POST');
    if (refusal) return refuse(response, refusal);
    const origin = request.headers.origin ?? '';
    const proof = bootstrap.safeParse(await readJson(request));
    const session = proof.success ? access.open({ origin, ...proof.data }) : null;
    if (!session) return refuse(response, { status: 401, why: 'linkUsed' });
    send(response, 200, 'application/json; charset=utf-8', JSON.stringify(session));
  }

  async function sendFile(request: IncomingMessage, response: ServerResponse, pathname: string): Promise<void> {
    const refusal = refuseFileRequest(request, isDiagramFile(pathname));
    if (refusal) return refuse(response, refusal);
    if (pathname === '/connect') {
      links.showOnRequest();
      return send(response, 200, 'text/html; charset=utf-8', await connectPage(language(), url));
    }
    if (pathname === connectStylePath) return send(response, 200, 'text/css; charset=utf-8', connectStyle);
    if (pathname.startsWith(printFolder)) return sendPrint(request, response, pathname);
    const file = await readPageFile(options.pageFolder, pathname, String(request.headers['accept-encoding'] ?? ''));
    if (!file) return refuse(response, { status: 404, why: 'nothingHere' });
    response.writeHead(200, { ...pageHeaders("'self'", pathname), ...file.headers });
    response.end(request.method === 'HEAD' ? '' : file.body);
  }

  function sendPrint({ method, headers }: IncomingMessage, response: ServerResponse, pathname: string): void {
    // It is served only to the frame that prints it. As a page of its own, its address could be kept or shared.
    const framed = (headers['sec-fetch-dest'] ?? 'iframe') === 'iframe';
    const page = method === 'GET' && framed ? options.takePrint(pathname) : null;
    if (page === null) {
      refuse(response, { status: 404, why: 'printed' });
      return;
    }
    response.writeHead(200, printHeaders);
    response.end(page);
  }

  server.on('upgrade', (request, socket, head) => {
    const refusal = refuseHost(request, hosts) ?? refuseForeignOrigin(request, 'GET') ?? refuseToken(request, access);
    if (refusal || request.url !== '/rpc') {
      socket.end(`HTTP/1.1 ${refusal?.status ?? 404} Refused\r\nConnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      accepted.on('error', () => accepted.terminate());
      options.serve(accepted);
    });
  });

  return {
    url,
    newLink: links.make,
    showLink: links.show,
    async close() {
      await Promise.all([...sockets.clients].map(closeSocket));
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Closes a socket after everything that the page had already sent is read. A tab that was just closed may have saved
 * something last.
 */
async function closeSocket(socket: WebSocket): Promise<void> {
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.close(goingAway);
  const late = setTimeout(() => socket.terminate(), closeLimitMs);
  await closed;
  clearTimeout(late);
}

async function listenOnLoopback(port: number): Promise<Server> {
  const server = createServer(serverLimits);
  server.maxHeadersCount = 100;
  server.maxRequestsPerSocket = 1000;
  server.maxConnections = 1000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

/** Limits for slow clients: headers within 5 s, a complete request within 15 s. */
const serverLimits = {
  headersTimeout: 5000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
  maxHeaderSize: 16_384,
};

/**
 * Refuses a request without a valid token. The token is sent as `Authorization`, or as a WebSocket subprotocol, because
 * browsers can't set other headers there.
 */
function refuseToken({ headers }: Claim, access: Access): Refusal | null {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
  const bearer = /^Bearer ([\w-]{43})$/.exec(headers.authorization ?? '')?.[1];
  const token = bearer ?? offered.find((part) => part !== protocolName);
  if (token !== undefined && access.admit(token)) return null;
  return { status: 401, why: 'noSession' };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!request.headers['content-type']?.startsWith('application/json')) return null;
  const length = Number(request.headers['content-length']);
  if (!(length > 0 && length <= maxBodyBytes)) return null;
  try {
    return JSON.parse(await text(request));
  } catch {
    return null;
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...pageHeaders("'self'"), 'content-type': type });
  response.end(body);
}

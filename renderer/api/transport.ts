import { RPCLink as PortLink } from '@orpc/client/message-port';
import { RPCLink as SocketLink } from '@orpc/client/websocket';
import { useConnection } from '../browser/connection.ts';
import { acknowledging } from './acknowledging-port.ts';
import { newSecret, openSession } from './web-session.ts';

/** A connection to the core. It doesn't reconnect; after a loss, open another connection. */
export interface CoreConnection {
  readonly link: PortLink<Record<never, never>> | SocketLink<Record<never, never>>;
  /** Calls back once when the core can no longer be reached over this connection. */
  onLost(callback: () => void): void;
}

/**
 * Connects this page to the core, by the port that the installed app hands over, or over a WebSocket to the server that
 * the page came from. A page without a session is redirected to the page that explains how to get in, and the promise
 * never settles. Rejects if the server does not answer.
 */
export function connectToCore(): Promise<CoreConnection> {
  return location.protocol === 'app:' ? portConnection() : socketConnection();
}

/** The preload script answers with a message that carries one port, from this window and origin. */
function portConnection(): Promise<CoreConnection> {
  return new Promise((resolve) => {
    const receive = (event: MessageEvent) => {
      const [port] = event.ports;
      if (event.source !== window || event.origin !== location.origin || event.data !== 'portico:port' || !port) return;
      window.removeEventListener('message', receive);
      const lost = new Promise<void>((done) => port.addEventListener('close', () => done(), { once: true }));
      const link = new PortLink<Record<never, never>>({ port: acknowledging(port) });
      port.start();
      resolve({ link, onLost: (callback) => void lost.then(callback) });
    };
    window.addEventListener('message', receive);
    window.postMessage('portico:ask', location.origin);
  });
}

let wasConnected = false;

async function socketConnection(): Promise<CoreConnection> {
  const token = await openSession();
  const url = new URL('/rpc', location.href);
  url.protocol = 'ws:';
  const socket = new WebSocket(url, ['portico', token]);
  const lost = new Promise<void>((done) => socket.addEventListener('close', () => done(), { once: true }));
  const link = new SocketLink<Record<never, never>>({ websocket: socket });
  await opened(socket);
  wasConnected = true;
  return { link, onLost: (callback) => void lost.then(callback) };
}

/** Resolves when the socket opens. A socket that closes before that was refused, or no server runs. */
function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => void refused().catch(reject);
    socket.addEventListener('close', closed, { once: true });
    socket.addEventListener(
      'open',
      () => {
        socket.removeEventListener('close', closed);
        resolve();
      },
      { once: true },
    );
  });
}

/**
 * Handles a server that answers but doesn't know this session, because it was restarted. A page that was never
 * connected redirects to the page that explains how to get in and never settles. A page in use stays, with what was
 * typed, and rejects once it gets the server’s new link. Rejects if no server runs.
 */
async function refused(): Promise<void> {
  await fetch('/', { method: 'HEAD' });
  sessionStorage.removeItem('portico:session');
  if (!wasConnected) return location.replace('/connect');
  // Listen before requesting the link, because the link may be opened at once.
  const newLink = newSecret();
  useConnection.setState({ unknown: true });
  // Requesting this page makes the server print a fresh link.
  await fetch('/connect');
  await newLink;
  // The connection stays marked as lost until a new one is open.
  useConnection.setState({ unknown: false });
  throw new Error('reconnect');
}

import { RPCLink as PortLink } from '@orpc/client/message-port';
import { RPCLink as SocketLink } from '@orpc/client/websocket';
import { useConnection } from '../browser/connection.ts';
import { acknowledging } from './acknowledging-port.ts';
import { newSecret, openSession } from './web-session.ts';

/** A connection to the core. It does not reconnect: open another one. */
export interface CoreConnection {
  readonly link: PortLink<Record<never, never>> | SocketLink<Record<never, never>>;
  /** Called once when the core cannot be reached over this connection any more. */
  onLost(callback: () => void): void;
}

/**
 * Connects this page to the core: by the port that the installed app hands over, or else over a WebSocket to the
 * server that the page came from. A page without a session is led to the page that says how to get in; the promise
 * then stays open. Rejects where the server does not answer.
 */
export function connectToCore(): Promise<CoreConnection> {
  return location.protocol === 'app:' ? portConnection() : socketConnection();
}

/** The preload answers by a message with one port, from this very window and origin. */
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

/** Resolves when the socket opens. One that closes before was refused, or no server runs. */
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
 * A server that answers was restarted and does not know this session. A page with nothing in it makes room for the one
 * that says how to get in and never settles; one that was in use stays, with what is typed in it, and rejects when it
 * was given the server’s new link. Rejects when no server runs.
 */
async function refused(): Promise<void> {
  await fetch('/', { method: 'HEAD' });
  sessionStorage.removeItem('portico:session');
  if (!wasConnected) return location.replace('/connect');
  // Listened for before it is asked for: the link may be opened at once.
  const given = newSecret();
  useConnection.setState({ unknown: true });
  // Asking for this page has the server print a fresh link.
  await fetch('/connect');
  await given;
  // Still lost, until it is connected.
  useConnection.setState({ unknown: false });
  throw new Error('reconnect');
}

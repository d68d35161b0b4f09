import './ui/styles/theme.css';
import { RPCLink as PortLink } from '@orpc/client/message-port';
import { RPCLink as SocketLink } from '@orpc/client/websocket';
import type { QueryClient } from '@tanstack/react-query';
import type { Topic } from '#shared/contract/app/changes.ts';
import type { Contract } from '#shared/contract/index.ts';
import { type Api, type CoreLink, getQueries } from './api/api.ts';
import { retryDelay, waitMs } from './api/retry.ts';
import { newSecret, openSession } from './api/web-session.ts';
import { createCore } from './app/core-services.ts';
import { whereItWas } from './app/where-it-was.ts';
import { createQueries, draw } from './app/window.tsx';
import { useConnection } from './browser/connection.ts';
import { newChatKey } from './browser/new-chat-key.ts';
import { loadConversation } from './features/chat/chat-page.tsx';
import { startNav, useNav } from './navigation/nav.ts';
import { loadTranslations } from './text/error-text.ts';

const every = 32;

/**
 * A message port has no back-pressure of its own. So the page tells the core how many messages it has read, a number
 * at a time, and the core stops sending when too many are unread.
 */
export function acknowledging(port: MessagePort): Pick<MessagePort, 'addEventListener' | 'postMessage'> {
  let unsaid = 0;
  port.addEventListener('message', () => {
    unsaid += 1;
    if (unsaid < every) return;
    port.postMessage(unsaid);
    unsaid = 0;
  });
  return port;
}

/** A connection to the core. It does not reconnect: open another one. */
interface CoreConnection {
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

/** Areas with cost estimates: stale whenever anything that they depend on changes. */
const quoted = ['quotes', 'comparisons'] as const;
const money = ['account', 'credits', 'funds', 'usage', 'verification', 'whatIf', 'reconciliation'] as const;
const models = ['models', 'catalogue'] as const;

/**
 * Which areas of the contract a topic makes stale. `account` changes when an answer ends: what was spent, and so what
 * the next message costs. `messages` changes with the branch, and with it what is sent with the next message.
 */
const oldBy: Readonly<Record<Topic, readonly (keyof Contract)[]>> = {
  account: [...money, ...quoted, 'context', 'caps', 'apiKeys'],
  app: ['app'],
  backups: ['backup', 'ledger'],
  caps: ['caps', 'funds', ...quoted],
  context: ['context', ...money, ...quoted],
  drafts: ['drafts'],
  conversations: ['conversations', 'organise', 'search'],
  gateway: ['gateway', 'gatewayAccounts', 'apiKeys', ...money, ...models, ...quoted],
  messages: ['search', 'context', ...quoted],
  network: ['network'],
  models: [...models, 'account', ...quoted],
  options: ['options', ...quoted],
  payer: [],
  presets: ['presets', 'options'],
  prompts: ['prompts'],
  providers: ['providers', 'account', 'catalogue'],
  queue: ['queue'],
  settings: ['settings', 'account'],
  tools: ['tools', ...quoted],
  updates: ['updates'],
};

/** What is of another account now: forgotten at once, so that no figure is seen under a name that it does not belong to. */
const replacedBy: Partial<Record<Topic, readonly (keyof Contract)[]>> = {
  payer: [...money, ...quoted, ...models, 'gateway', 'apiKeys'],
};

/**
 * Keeps the stream of changes open and marks queries as stale. After a lost connection all are stale: changes made
 * meanwhile were not received.
 */
export async function followChanges(api: Api, queries: QueryClient, signal: AbortSignal): Promise<void> {
  const orpc = getQueries(api);
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const stream = await api.changes.watch({ newChat: newChatKey }, { signal });
      if (attempt > 0) void queries.invalidateQueries();
      attempt = 0;
      useConnection.setState({ lost: false });
      for await (const { topics } of stream) {
        // Each area is invalidated once, however many topics name it.
        const replaced = new Set(topics.flatMap((topic) => replacedBy[topic] ?? []));
        const areas = new Set(topics.flatMap((topic) => oldBy[topic]));
        for (const area of replaced) {
          areas.delete(area);
          void queries.resetQueries({ queryKey: orpc[area].key() });
        }
        for (const area of areas) void queries.invalidateQueries({ queryKey: orpc[area].key() });
      }
    } catch (error) {
      if (signal.aborted) return;
      console.warn('The stream of changes ended', error);
      useConnection.setState({ lost: true });
    }
    await waitMs(retryDelay(attempt), signal);
  }
}

const entry = 'portico:open';

/**
 * Whether the page that this window showed before crashed or was killed, so that it had no `pagehide`. Call it once,
 * when the page begins.
 */
function endedUnsaid(): boolean {
  // A duplicated tab copies the session storage, but is no reload.
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const unsaid = sessionStorage.getItem(entry) !== null && navigation?.type === 'reload';
  sessionStorage.setItem(entry, '');
  addEventListener('pagehide', () => sessionStorage.removeItem(entry));
  return unsaid;
}

const patienceMs = 1000;

/** Starts the app over a link to the core and renders it. */
export async function openWindow(element: HTMLElement, link: CoreLink): Promise<void> {
  useConnection.setState({ endedUnsaid: endedUnsaid() });
  const core = createCore(link);
  const queries = createQueries();
  if (location.hash === '') history.replaceState(history.state, '', await whereItWas(core.api));
  startNav();
  void followChanges(core.api, queries, new AbortController().signal);
  // Without them errors are in English.
  const translated = loadTranslations().catch(() => {});
  await Promise.race([chatLoaded(), new Promise((late) => setTimeout(late, patienceMs))]);
  await translated;
  draw(element, core, queries);
}

/**
 * Loads the chat’s code before the first render: once React has shown a Suspense fallback, it keeps that for at least
 * 300 ms.
 */
async function chatLoaded(): Promise<void> {
  const { loc } = useNav.getState();
  // A failed load is repeated, and reported, by the view.
  if (loc.page === 'chat' && loc.conversationId !== null) await loadConversation().catch(() => {});
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root"');

// Connecting first removes the secret from the address, before that is read as a location.
const first = connectToCore();
let connections = 0;
const link = reconnectingLink(() => (connections++ === 0 ? first : connectToCore()));
void first.catch(() => undefined).then(() => openWindow(root, link));

/** A connection to the core that may be lost for good. */
interface Connection {
  readonly link: CoreLink;
  onLost(callback: () => void): void;
}

/** One link over any number of connections: a lost one is replaced, and calls made meanwhile wait for the next. */
function reconnectingLink(connect: () => Promise<Connection>): CoreLink {
  let current: Promise<Connection> | null = null;

  const connected = (): Promise<Connection> => {
    current ??= keepTrying(connect).then((connection) => {
      connection.onLost(() => {
        current = null;
      });
      return connection;
    });
    return current;
  };

  return {
    async call(path, input, options) {
      const { link } = await connected();
      return link.call(path, input, options);
    },
  };
}

async function keepTrying(connect: () => Promise<Connection>): Promise<Connection> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await connect();
    } catch (error) {
      console.warn('The core could not be reached', error);
      await waitMs(retryDelay(attempt), new AbortController().signal);
    }
  }
}

import { isLoopback } from '#gateway/providers/upstream/dispatch-fetch.ts';
import type { DownloadRoute } from '#gateway/providers/upstream/guarded-download.ts';
import type { ProxyFor } from '#gateway/providers/upstream/proxied-dispatcher.ts';
import type { NetworkSettings } from '#shared/contract/app/network.ts';
import { refusal } from '#shared/language/refusals.ts';
import { failureEntry, type Log } from '../../runtime/log/log.ts';

/** The network settings with the password of their proxy. */
export interface NetworkRules extends NetworkSettings {
  readonly password: string | null;
  /** The settings are there and cannot be read: whichever way they forbid, nothing but this computer is called. */
  readonly unreadable?: true;
}

export interface Network {
  /** Every request of the app to the internet uses this, including those of the built-in gateway. */
  readonly fetch: typeof fetch;
  /**
   * Applies new settings. Requests that have begun continue as they began. Before the first call of `apply` requests
   * wait, because they must not use a connection that the settings forbid. Only this computer itself is reached at
   * once.
   */
  apply(rules: NetworkRules): void;
  readonly proxyFor: ProxyFor;
  /** The same connection for pages and pictures that a model or a stranger links to (`guardedDownload`). */
  readonly route: DownloadRoute;
  close(): Promise<void>;
}

export interface NetworkDeps {
  /** Returns the proxy that the environment variables name. Null if they name none. */
  readonly byEnvironment: (origin: string) => string | null;
  /**
   * Returns the proxy that the system's settings and scripts name. Null on hosts where only the environment variables
   * name one.
   */
  readonly bySystem: ((origin: string) => Promise<string | null>) | null;
  readonly log: Log;
}

/** The default: use the system's proxy. */
export const usualRules: NetworkRules = {
  proxy: 'system',
  address: '',
  username: '',
  bypass: '',
  certificates: '',
  password: null,
};

/** The only network stack with which the app reaches the internet. Its modules are loaded with the first request. */
export function openNetwork({ byEnvironment, bySystem, log }: NetworkDeps): Network {
  const first = Promise.withResolvers<NetworkRules>();
  let rules: NetworkRules | Promise<NetworkRules> = first.promise;
  let stack: Promise<Stack> | null = null;
  const asked = bySystem && remembered(bySystem);

  const proxyFor = async (origin: string): Promise<string | null> => {
    if (isLoopback(new URL(origin).hostname)) return null;
    const now = await rules;
    if (now.unreadable) throw unreadable();
    switch (now.proxy) {
      case 'none':
        return null;
      case 'fixed':
        return isBypassed(origin, now.bypass) ? null : withCredentials(now);
      case 'system':
        return byEnvironment(origin) ?? asked?.(origin) ?? null;
    }
  };

  return {
    proxyFor,
    route: { proxyFor, certificates: async () => (await rules).certificates },
    async fetch(input, init) {
      const { origin, hostname } = new URL(input instanceof Request ? input.url : input);
      // A request to this computer needn't wait for the settings, because no proxy applies to it.
      const here = isLoopback(hostname);
      const { proxy, certificates, unreadable: closed } = here ? await Promise.race([rules, usualRules]) : await rules;
      if (closed && !here) throw unreadable();
      stack ??= openStack(proxyFor, certificates).catch((cause: unknown) => plainStack(cause, log));
      const { send } = await stack;
      if (send) return send(input, init);
      if (proxy === 'fixed' && (await proxyFor(origin)) !== null)
        throw refusal('upstream_unreachable', 'networkTooOld');
      return fetch(input, init);
    },
    apply(next) {
      const before = stack;
      rules = next;
      stack = null;
      first.resolve(next);
      void before?.then(({ close }) => close());
    },
    close: async () => (await stack)?.destroy(),
  };
}

const unreadable = () => refusal('upstream_unreachable', 'networkUnreadable');

interface Stack {
  /** Null uses the platform's own `fetch`, which doesn't support proxies. */
  readonly send: ((...call: Parameters<typeof fetch>) => Promise<Response>) | null;
  /** Lets requests that have begun finish. */
  close(): Promise<void>;
  destroy(): Promise<void>;
}

type Send = (input: Parameters<typeof fetch>[0], init: RequestInit & { dispatcher: unknown }) => Promise<Response>;

async function openStack(proxyFor: ProxyFor, certificates: string): Promise<Stack> {
  const [undici, { ProxiedDispatcher }] = await Promise.all([
    import('undici'),
    import('#gateway/providers/upstream/proxied-dispatcher.ts'),
  ]);
  const dispatcher = new ProxiedDispatcher(proxyFor, certificates);
  // This is the standard `fetch`. Only the types of its parameters and results differ from the platform's.
  const send = undici.fetch as unknown as Send;
  return {
    send: (input, init) => send(input, Object.assign({}, init, { dispatcher })),
    close: () => dispatcher.close(),
    destroy: () => dispatcher.destroy(),
  };
}

/**
 * undici needs Node 22.19. With an older Electron the platform's `fetch` is used, but never to bypass a configured
 * proxy.
 */
function plainStack(cause: unknown, log: Log): Stack {
  log({ event: 'network_unencrypted', ...failureEntry(cause) });
  const nothing = async () => {};
  return { send: null, close: nothing, destroy: nothing };
}

function withCredentials({ address, username, password }: NetworkRules): string {
  const url = new URL(address);
  if (username !== '') {
    url.username = encodeURIComponent(username);
    url.password = encodeURIComponent(password ?? '');
  }
  return url.href;
}

/**
 * Whether the bypass list contains a host: `example.com`, `.example.com` or `*.example.com` for all subdomains, with or
 * without a port.
 */
export function isBypassed(origin: string, bypass: string): boolean {
  const { hostname, port, protocol } = new URL(origin);
  const usedPort = port || (protocol === 'https:' ? '443' : '80');
  return bypass
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, host = '', onPort] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
      if (onPort !== undefined && onPort !== usedPort) return false;
      const below = /^\*?(\..+)$/.exec(host)?.[1];
      return host === '*' || (below === undefined ? hostname === host : hostname.endsWith(below));
    });
}

/**
 * The system's answer is reused for a while instead of asking for each request. Simultaneous requests share one query.
 */
const heldMs = 30_000;

function remembered(ask: (origin: string) => Promise<string | null>) {
  const known = new Map<string, { readonly proxy: Promise<string | null>; readonly until: number }>();
  return (origin: string): Promise<string | null> => {
    const before = known.get(origin);
    if (before && before.until > performance.now()) return before.proxy;
    // If the system can't answer, the request goes out without a proxy.
    const proxy = ask(origin).catch(() => null);
    known.set(origin, { proxy, until: performance.now() + heldMs });
    return proxy;
  };
}

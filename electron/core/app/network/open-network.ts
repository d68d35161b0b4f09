import { isLoopback } from '#gateway/providers/upstream/dispatch-fetch.ts';
import type { DownloadRoute } from '#gateway/providers/upstream/guarded-download.ts';
import type { ProxyFor } from '#gateway/providers/upstream/proxied-dispatcher.ts';
import type { NetworkSettings } from '#shared/contract/app/network.ts';
import { refusal } from '#shared/language/refusals.ts';
import { failureEntry, type Log } from '../../runtime/log/log.ts';

/** Which way the app takes to the outside: the settings, and the password of the proxy that they name. */
export interface NetworkRules extends NetworkSettings {
  readonly password: string | null;
}

export interface Network {
  /** Every call of the app to the outside, also those of the gateway inside. */
  readonly fetch: typeof fetch;
  /**
   * From now on; calls that have begun go on as they began. Before the first time they wait, so that none takes a way that the
   * settings forbid; only this computer itself is reached at once.
   */
  apply(rules: NetworkRules): void;
  readonly proxyFor: ProxyFor;
  /** The same way for the pages and pictures that a model or a stranger names (`guardedDownload`). */
  readonly route: DownloadRoute;
  close(): Promise<void>;
}

export interface NetworkDeps {
  /** A proxy by the environment; null: it names none. */
  readonly byEnvironment: (origin: string) => string | null;
  /** A proxy by the system, with its scripts; null where only the environment says one. */
  readonly bySystem: ((origin: string) => Promise<string | null>) | null;
  readonly log: Log;
}

/** As the system does it. */
export const usualRules: NetworkRules = {
  proxy: 'system',
  address: '',
  username: '',
  bypass: '',
  certificates: '',
  password: null,
};

/** The one stack by which the app reaches the outside. What it takes is loaded with its first call. */
export function openNetwork({ byEnvironment, bySystem, log }: NetworkDeps): Network {
  const first = Promise.withResolvers<NetworkRules>();
  let rules: NetworkRules | Promise<NetworkRules> = first.promise;
  let stack: Promise<Stack> | null = null;
  const asked = bySystem && remembered(bySystem);

  const proxyFor = async (origin: string): Promise<string | null> => {
    if (isLoopback(new URL(origin).hostname)) return null;
    const now = await rules;
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
      // Whichever is there: no proxy of the settings leads to this computer.
      const { proxy, certificates } = isLoopback(hostname) ? await Promise.race([rules, usualRules]) : await rules;
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

interface Stack {
  /** Null: the platform's own, which knows no proxies. */
  readonly send: ((...call: Parameters<typeof fetch>) => Promise<Response>) | null;
  /** Lets what has begun go on. */
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
  // The same function by the platform's types: only the classes of what it is given and gives back are its own.
  const send = undici.fetch as unknown as Send;
  return {
    send: (input, init) => send(input, Object.assign({}, init, { dispatcher })),
    close: () => dispatcher.close(),
    destroy: () => dispatcher.destroy(),
  };
}

/** undici needs Node 22.19; an older Electron goes its own way, and never past a proxy that was named. */
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

/** Hosts that are reached directly: `example.com`, `.example.com` or `*.example.com` for all below it, with a port or without. */
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

/** The system is not asked for each call: its answer holds for a while, and calls meanwhile share one question. */
const heldMs = 30_000;

function remembered(ask: (origin: string) => Promise<string | null>) {
  const known = new Map<string, { readonly proxy: Promise<string | null>; readonly until: number }>();
  return (origin: string): Promise<string | null> => {
    const before = known.get(origin);
    if (before && before.until > performance.now()) return before.proxy;
    // Where the system cannot say it, the direct way is tried.
    const proxy = ask(origin).catch(() => null);
    known.set(origin, { proxy, until: performance.now() + heldMs });
    return proxy;
  };
}

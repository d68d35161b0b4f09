import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import { trustedAuthorities } from './certificates.ts';
import { isLoopback } from './dispatch-fetch.ts';

/**
 * Returns the URL of the proxy for an origin, with user and password if it needs them; null if there is none. If it
 * returns a promise, the promise never fails.
 */
export type ProxyFor = (origin: string) => string | null | Promise<string | null>;

/** There are no timeouts here, because the caller decides how long an upstream may be silent (`engineTimeouts`). */
export const connectionLimits = { headersTimeout: 0, bodyTimeout: 0, connections: 1_000 };

/**
 * Reaches each origin through its proxy: HTTP and HTTPS proxies (with a tunnel for https), or SOCKS5. This computer
 * itself is never reached through a proxy. `certificates`: authorities in PEM that are trusted besides those of Node
 * and of the system.
 */
export class ProxiedDispatcher implements Pick<Dispatcher, 'dispatch'> {
  readonly #proxyFor: ProxyFor;
  readonly #trust: { readonly ca?: string[] };
  readonly #ways = new Map<string, Dispatcher>();

  constructor(proxyFor: ProxyFor, certificates = '') {
    this.#proxyFor = proxyFor;
    this.#trust = trustedAuthorities(certificates);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const origin = String(options.origin);
    const proxy = isLoopback(new URL(origin).hostname) ? null : this.#proxyFor(origin);
    if (!(proxy instanceof Promise)) return this.#way(proxy).dispatch(options, handler);
    void proxy.then((found) => this.#way(found).dispatch(options, handler));
    return true;
  }

  /** Waits until the calls in progress have ended. */
  close(): Promise<void> {
    return this.#each((way) => way.close());
  }

  destroy(): Promise<void> {
    return this.#each((way) => way.destroy());
  }

  async #each(end: (way: Dispatcher) => Promise<void>): Promise<void> {
    const ways = [...this.#ways.values()];
    this.#ways.clear();
    await Promise.all(ways.map(end));
  }

  #way(proxy: string | null): Dispatcher {
    const key = proxy ?? '';
    const known = this.#ways.get(key);
    if (known) return known;
    const way =
      proxy === null
        ? new Agent({ ...connectionLimits, connect: this.#trust })
        : throughProxy(proxy, { requestTls: this.#trust, proxyTls: this.#trust });
    this.#ways.set(key, way);
    return way;
  }
}

interface ProxyTls {
  /** TLS options for the connections inside the tunnel. */
  readonly requestTls: { readonly ca?: string[]; readonly servername?: string };
  /** TLS options for the connection to an HTTPS proxy. */
  readonly proxyTls: { readonly ca?: string[] };
  /** Uses a tunnel for plain http too. Without it, an HTTP proxy gets the whole URL. */
  readonly proxyTunnel?: boolean;
}

/** Creates the dispatcher that reaches servers through one proxy. */
export function throughProxy(proxy: string, { requestTls, proxyTls, proxyTunnel = false }: ProxyTls): Dispatcher {
  if (/^socks/i.test(proxy)) return new Socks5ProxyAgent(asSocks5(proxy), { ...connectionLimits, requestTls });
  return new ProxyAgent({ ...connectionLimits, uri: proxy, requestTls, proxyTls, proxyTunnel });
}

/**
 * Names are always resolved by the proxy. Version 4 of the protocol isn't supported any more, so version 5 is used
 * instead.
 */
const asSocks5 = (proxy: string) => proxy.replace(/^socks(4a?|5h?)?:/i, 'socks5:');

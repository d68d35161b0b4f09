import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import { trustedAuthorities } from './certificates.ts';
import { isLoopback } from './dispatch-fetch.ts';

/** The URL of the proxy that leads to an origin, with user and password where it wants them; null: there is none. A promise of it never fails. */
export type ProxyFor = (origin: string) => string | null | Promise<string | null>;

/** How long an upstream may be silent is the business of who asks (`engineTimeouts`). */
export const connectionLimits = { headersTimeout: 0, bodyTimeout: 0, connections: 1_000 };

/**
 * Reaches each origin by its proxy: HTTP and HTTPS proxies (a tunnel to https), and SOCKS5. This computer itself never goes by one.
 * `certificates`: authorities in PEM that are trusted besides those of Node and of the system.
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

  /** Lets what has begun go on. */
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
  /** For the connections inside the tunnel. */
  readonly requestTls: { readonly ca?: string[]; readonly servername?: string };
  /** For the connection to an HTTPS proxy. */
  readonly proxyTls: { readonly ca?: string[] };
  /** A tunnel for plain http too; without it an HTTP proxy is asked for the whole address. */
  readonly proxyTunnel?: boolean;
}

/** What reaches servers by one proxy. */
export function throughProxy(proxy: string, { requestTls, proxyTls, proxyTunnel = false }: ProxyTls): Dispatcher {
  if (/^socks/i.test(proxy)) return new Socks5ProxyAgent(asSocks5(proxy), { ...connectionLimits, requestTls });
  return new ProxyAgent({ ...connectionLimits, uri: proxy, requestTls, proxyTls, proxyTunnel });
}

/** Names are always resolved by the proxy; version 4 of the protocol is not spoken any more. */
const asSocks5 = (proxy: string) => proxy.replace(/^socks(4a?|5h?)?:/i, 'socks5:');

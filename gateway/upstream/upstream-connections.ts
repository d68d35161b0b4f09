import { Agent } from 'undici';
import { createDispatchFetch } from './dispatch-fetch.ts';
import { hasProxyInEnvironment, proxyByEnvironment } from './environment-proxy.ts';
import { ProxiedDispatcher } from './proxied-dispatcher.ts';
import type { UpstreamFetch } from './upstream-response.ts';

export interface UpstreamConnections {
  readonly fetch: UpstreamFetch;
  close(): Promise<void>;
}

/** How long an upstream may be silent is the engine's business, which knows what it is doing (`engineTimeouts`). */
const limits = { headersTimeout: 0, bodyTimeout: 0, connections: 1_000 };

/** The one way by which a stand-alone gateway reaches its upstreams: directly, unless its environment names a proxy. */
export function openUpstreamConnections(): UpstreamConnections {
  const agent = hasProxyInEnvironment(process.env) ? new ProxiedDispatcher(proxyByEnvironment) : new Agent(limits);
  return { fetch: createDispatchFetch(agent), close: () => agent.destroy() };
}

import { Agent } from 'undici';
import { createDispatchFetch } from './dispatch-fetch.ts';
import { hasProxyInEnvironment, proxyByEnvironment } from './environment-proxy.ts';
import { connectionLimits, ProxiedDispatcher } from './proxied-dispatcher.ts';
import type { UpstreamFetch } from './upstream-response.ts';

export interface UpstreamConnections {
  readonly fetch: UpstreamFetch;
  close(): Promise<void>;
}

/** The one way by which a stand-alone gateway reaches its upstreams: directly, unless its environment names a proxy. */
export function openUpstreamConnections(): UpstreamConnections {
  const agent = hasProxyInEnvironment(process.env)
    ? new ProxiedDispatcher(proxyByEnvironment)
    : new Agent(connectionLimits);
  return { fetch: createDispatchFetch(agent), close: () => agent.destroy() };
}

import { Agent } from 'undici';
import { createDispatchFetch } from './dispatch-fetch.ts';
import { hasProxyInEnvironment, proxyByEnvironment } from './environment-proxy.ts';
import type { Download } from './fetched-files.ts';
import { guardedDownload } from './guarded-download.ts';
import { connectionLimits, ProxiedDispatcher } from './proxied-dispatcher.ts';
import type { UpstreamFetch } from './upstream-response.ts';

export interface UpstreamConnections {
  readonly fetch: UpstreamFetch;
  /** Downloads the files that a request gives by their URL, over the same proxy. */
  readonly download: Download;
  close(): Promise<void>;
}

/**
 * Opens the only way in which a stand-alone gateway reaches its upstreams: directly, unless its environment names a
 * proxy.
 */
export function openUpstreamConnections(): UpstreamConnections {
  const proxied = hasProxyInEnvironment(process.env);
  const agent = proxied ? new ProxiedDispatcher(proxyByEnvironment) : new Agent(connectionLimits);
  const route = proxied ? { proxyFor: proxyByEnvironment, certificates: () => '' } : null;
  return {
    fetch: createDispatchFetch(agent),
    download: (url, options) => guardedDownload(url, route ? { ...options, route } : options),
    close: () => agent.destroy(),
  };
}

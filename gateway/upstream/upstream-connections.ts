import { Agent } from 'undici';
import { createDispatchFetch } from './dispatch-fetch.ts';
import type { UpstreamFetch } from './upstream-response.ts';

export interface UpstreamConnections {
  readonly fetch: UpstreamFetch;
  close(): Promise<void>;
}

/** How long an upstream may be silent is the engine's business, which knows what it is doing (`engineTimeouts`). */
const limits = { headersTimeout: 0, bodyTimeout: 0, connections: 1_000 };

/** The one way by which a gateway reaches its upstreams, wherever it runs. */
export function openUpstreamConnections(): UpstreamConnections {
  const agent = new Agent(limits);
  return { fetch: createDispatchFetch(agent), close: () => agent.destroy() };
}

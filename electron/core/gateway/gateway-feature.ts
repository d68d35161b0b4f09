import { Secret } from '#gateway/auth/secret.ts';
import type { GatewayClient } from '#shared/client/gateway-client.ts';
import { GatewayError, isLacking } from '#shared/client/gateway-error.ts';
import type { GatewayConnection } from '#shared/contract/app/gateway.ts';
import { AppError, problemTextOf } from '#shared/errors.ts';
import { parseBaseUrl } from '../connection/base-url.ts';
import type { Connections } from '../connection/connections.ts';
import { askGateway, fromGateway } from '../connection/gateway-errors.ts';
import type { Changes } from '../streams/change-topics.ts';
import type { LocalListener } from './local-listener.ts';
import type { RemoteGateway } from './remote-gateway.ts';

export interface GatewayDeps {
  readonly remote: RemoteGateway;
  readonly listener: LocalListener;
  readonly connections: Connections;
  readonly changes: Changes;
  /** Called when a gateway was connected; never throws. */
  readonly connected: () => Promise<void>;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

const limitMs = 8000;

/** The gateway in use, its state, and the local port of the built-in one. */
export function gatewayFeature({ remote, listener, connections, changes, connected, elapsed }: GatewayDeps) {
  async function status(): Promise<GatewayConnection['status']> {
    const start = elapsed();
    try {
      const { client } = await connections.wallet('main');
      await reach(client);
      return { state: 'ok', problem: null, retryAfterMs: null, latencyMs: Math.round((elapsed() - start) * 10) / 10 };
    } catch (error) {
      return failedStatus(error);
    }
  }

  async function get(): Promise<GatewayConnection> {
    return { mode: connections.mode, remote: remote.get(), local: listener.state(), status: await status() };
  }

  function changed(): Promise<GatewayConnection> {
    changes.emit('gateway', 'models', 'account', 'providers');
    return get();
  }

  return {
    get,
    async connect(input: { baseUrl: string; key: string }): Promise<GatewayConnection> {
      const baseUrl = parseBaseUrl(input.baseUrl, { withKey: true });
      const secret = new Secret(input.key);
      await askGateway(() => reach(remote.clientFor(baseUrl, secret)));
      await remote.connect(baseUrl, secret);
      void connected();
      return changed();
    },
    async disconnect(): Promise<GatewayConnection> {
      await remote.disconnect();
      return changed();
    },
    async listen(wanted: { enabled: boolean; port: number }): Promise<GatewayConnection> {
      await listener.set(wanted);
      changes.emit('gateway');
      return get();
    },
  };
}

/** Whether a gateway is there and takes the key: by its own word, else by the list of its models. */
async function reach(client: GatewayClient): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    await client.verify({ signal });
  } catch (error) {
    if (!isLacking(error) && !(error instanceof GatewayError && error.code === 'not_a_gateway')) throw error;
    await client.models({ signal });
  }
}

function failedStatus(error: unknown): GatewayConnection['status'] {
  const failure = fromGateway(error);
  if (!(failure instanceof AppError)) throw error;
  const { retryAfterMs = null } = failure;
  return { state: stateOf(error), problem: problemTextOf(failure), retryAfterMs, latencyMs: null };
}

/** An error that is not the gateway’s, such as a missing key, counts as refused. */
function stateOf(error: unknown): 'busy' | 'refused' | 'unreachable' {
  if (error instanceof AppError) return 'refused';
  if (!(error instanceof GatewayError)) return 'unreachable';
  const { status_code: status } = error;
  if (status === 429 || status === 503) return 'busy';
  return status >= 400 && status < 500 ? 'refused' : 'unreachable';
}

import { GatewayError } from '#shared/client/gateway-error.ts';
import type { GatewayConnection } from '#shared/contract/app/gateway.ts';
import { AppError, getProblemText } from '#shared/errors.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { checkCredential } from '../connection/check-credential.ts';
import type { Connections } from '../connection/connections.ts';
import { fromGateway } from '../connection/gateway-errors.ts';
import type { LocalListener } from './local-listener.ts';

export interface GatewayDeps extends CoreContext {
  readonly listener: LocalListener;
  readonly connections: Connections;
}

/** Reports the gateway in use and its state, and controls the local port of the built-in one. */
export function gatewayFeature({ listener, connections, changes, elapsed }: GatewayDeps) {
  async function status(): Promise<GatewayConnection['status']> {
    const start = elapsed();
    try {
      const { client } = await connections.billingAccount('main');
      const state = (await checkCredential(client)) === null ? 'answers' : 'ok';
      return { state, problem: null, retryAfterMs: null, latencyMs: Math.round((elapsed() - start) * 10) / 10 };
    } catch (error) {
      return failedStatus(error);
    }
  }

  async function get(): Promise<GatewayConnection> {
    return { mode: connections.mode, local: listener.state(), status: await status() };
  }

  return {
    get,
    async listen(wanted: { enabled: boolean; port: number }): Promise<GatewayConnection> {
      await listener.set(wanted);
      changes.emit('gateway');
      return get();
    },
  };
}

function failedStatus(error: unknown): GatewayConnection['status'] {
  const failure = fromGateway(error);
  if (!(failure instanceof AppError)) throw error;
  const { retryAfterMs = null } = failure;
  return { state: getState(error), problem: getProblemText(failure), retryAfterMs, latencyMs: null };
}

/** An error of the app itself, such as a missing key, counts as refused. */
function getState(error: unknown): 'busy' | 'refused' | 'unreachable' {
  if (error instanceof AppError) return 'refused';
  if (!(error instanceof GatewayError)) return 'unreachable';
  const { status_code: status } = error;
  if (status === 429 || status === 503) return 'busy';
  return status >= 400 && status < 500 ? 'refused' : 'unreachable';
}

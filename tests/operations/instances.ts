import { randomInt } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { testPepper } from '../gateway-doubles/test-database.ts';
import type { Env, GatewayProcess, GatewayProgram } from '../support/gateway-process.ts';
import { getGateways, readComposition } from './compose.ts';

export interface Instance extends GatewayProcess {
  /** The address of its `/metrics`. */
  readonly metrics: string;
}

const composition = readComposition({ PORTICO_KEY_PEPPER: testPepper, POSTGRES_PASSWORD: 'not used' });

/** Returns an address of this machine for each instance of compose.yaml, in a range where their common port is free. */
export function gatewayAddresses(): ReadonlyMap<string, string> {
  const network = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  return new Map(getGateways(composition).map((name, index) => [name, `${network}.${index + 1}`]));
}

/**
 * Starts an instance with the environment of compose.yaml, at this address instead of its container's. So the proxy is
 * at 127.0.0.1, and `/metrics` isn't on every interface. The notice before it stops is shorter, but still covers three
 * of the proxy's health checks. The instance ends with the test.
 */
export async function startInstance(
  program: GatewayProgram,
  database: string,
  address: string,
  more: Env = {},
): Promise<Instance> {
  const instead = {
    PORTICO_TRUSTED_PROXIES: '127.0.0.1',
    PORTICO_METRICS: `${address}:9464`,
    PORTICO_DRAIN_NOTICE: '3',
  };
  const env = { ...composition.services['gateway-1']?.environment, ...instead, ...more };
  const args = ['--host', address, '--port', '8788', '--log-requests'];
  const started = await program.start(database, { env, args });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return { ...started, metrics: `http://${address}:9464/metrics` };
}

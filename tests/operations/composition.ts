import type { Env, GatewayProgram } from '../support/gateway-process.ts';
import { startCaddy } from './caddy.ts';
import { gatewayAddresses, type Instance, startInstance } from './instances.ts';
import { openWorld } from './world.ts';

/**
 * Starts the three instances of compose.yaml as processes behind Caddy, with a new ledger. `more`
 * adds to their environment.
 */
export async function openComposition(program: GatewayProgram, more: Env) {
  const world = await openWorld();
  const addresses = gatewayAddresses();
  const start = (name: string) => startInstance(program, world.database, addresses.get(name) ?? '', more);
  const instances = new Map<string, Instance>();
  await Promise.all([...addresses.keys()].map(async (name) => instances.set(name, await start(name))));
  return { ...world, instances, start, ...(await startCaddy(addresses)) };
}

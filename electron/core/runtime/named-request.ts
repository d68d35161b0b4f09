import type { GatewayClient } from '#shared/client/gateway-client.ts';
import { GatewayError, isLacking } from '#shared/client/gateway-error.ts';
import { pause } from './streams/pace.ts';

/**
 * Names a request before it is sent. The gateway keeps the name with its record (wire contract §1.0, §10). If other
 * computers may use the same key on this gateway, the name begins with the id of this installation.
 */
export const getRequestName = ({ installation }: { readonly installation?: string | undefined }, id: string): string =>
  installation === undefined ? id : `${installation}.${id}`;

export const namedRequest = (name: string) => ({ 'x-client-request-id': name });

/** Parses a name. Names of earlier versions have no installation. */
export function parseRequestName(name: string): { readonly installation: string | null; readonly id: string } {
  const dot = name.indexOf('.');
  return dot === -1 ? { installation: null, id: name } : { installation: name.slice(0, dot), id: name.slice(dot + 1) };
}

/** A running request might not be listed until its response has begun. */
const waitsMs = [0, 300, 1000, 3000, 10_000];
const daySeconds = 86_400;

/**
 * Finds the gateway’s id of a request whose response never arrived. `none`: the gateway keeps names and doesn't have
 * this one, so it never opened the request. `no-records`: it keeps no records of requests, or no names. Null: it
 * couldn't be asked, so try later. `sentAt` is by our clock, which may be wrong by hours.
 */
export async function findNamedRequest(
  client: Pick<GatewayClient, 'requests'>,
  name: string,
  sentAt: number,
  signal: AbortSignal | undefined,
): Promise<string | 'none' | 'no-records' | null> {
  const query = { client_request_id: name, start: Math.max(0, Math.floor(sentAt / 1000) - daySeconds), limit: 20 };
  let outcome: 'none' | 'no-records' | null = null;
  for (const waitMs of waitsMs) {
    await pause(waitMs, signal);
    if (signal?.aborted) return null;
    try {
      const { data } = await client.requests(query, signal ? { signal } : {});
      const found = data.find(({ metadata }) => metadata.client_request_id === name);
      if (found) return found.id;
      // A gateway without this filter returns the newest requests instead.
      outcome = data.length === 0 ? 'none' : 'no-records';
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (isLacking(error)) return 'no-records';
      if (error.status_code === 401 || error.status_code === 403) return null;
    }
  }
  return outcome;
}

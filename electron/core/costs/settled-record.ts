import type { GatewayClient } from '#shared/client/gateway-client.ts';
import { GatewayError, isLacking } from '#shared/client/gateway-error.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';
import { pause } from '../streams/pace.ts';

/** A stopped request is settled slightly after its stream ends. */
const waitsMs = [0, 100, 300, 1000, 3000, 10_000, 30_000];

/**
 * The gateway’s record of a settled request. `none`: there is none and will be none. Null: not known yet; asked again
 * at the next start.
 */
export async function settledRecord(
  client: Pick<GatewayClient, 'requestRecord'>,
  requestId: string,
  signal: AbortSignal | undefined,
): Promise<RequestRecord | 'none' | null> {
  for (const waitMs of waitsMs) {
    await pause(waitMs, signal);
    if (signal?.aborted) return null;
    try {
      const record = await client.requestRecord(requestId, signal ? { signal } : {});
      if (record.status !== 'running') return record;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      // A gateway without this extension, or a request that it never opened.
      if (isLacking(error)) return 'none';
      if (error.status_code === 401 || error.status_code === 403) return null;
    }
  }
  return null;
}

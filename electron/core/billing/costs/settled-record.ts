import type { GatewayClient } from '#shared/client/gateway-client.ts';
import { GatewayError, isLacking } from '#shared/client/gateway-error.ts';
import type { ReportedRequest } from '#shared/client/reported.ts';
import { pause } from '../../runtime/streams/pace.ts';

/** A stopped request is settled slightly after its stream ends, or once its count has come, within a minute. */
const waitsMs = [0, 100, 300, 1000, 3000, 10_000, 30_000, 30_000];

/**
 * The gateway’s record of a settled request. `none`: it keeps records and never opened this one, so that nothing was charged.
 * `no-records`: it keeps none, or has not got this one after all the waiting. Null: not known yet; asked again at the next start.
 */
export async function settledRecord(
  client: Pick<GatewayClient, 'requestRecord'>,
  requestId: string,
  signal: AbortSignal | undefined,
): Promise<ReportedRequest | 'none' | 'no-records' | null> {
  let missing = false;
  for (const waitMs of waitsMs) {
    await pause(waitMs, signal);
    if (signal?.aborted) return null;
    try {
      const record = await client.requestRecord(requestId, signal ? { signal } : {});
      if (record.status !== 'running') return record;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (error.code === 'request_not_found') return 'none';
      if (isLacking(error)) return 'no-records';
      missing = error.code === 'generation_not_found';
      if (error.status_code === 401 || error.status_code === 403) return null;
    }
  }
  return missing ? 'no-records' : null;
}

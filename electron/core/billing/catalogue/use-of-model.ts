import type { GatewayClient } from '#shared/client/gateway-client.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';
import { getPersonCost } from '../costs/cost.ts';

const limitMs = 10_000;
const days = 90;
const dayMs = 86_400_000;
/** The maximum page size of the records API. */
const measured = 100;

/** Returns an account's use of a model in the last 90 days, and the speed of its latest answers. */
export async function getModelUse(client: GatewayClient, model: string, nowMs: number) {
  const since = Math.floor((nowMs - days * dayMs) / 1000);
  const period = { start: since, end: Math.ceil(nowMs / 1000) };
  const signal = AbortSignal.timeout(limitMs);
  const [usage, records] = await Promise.all([
    client.usage({ ...period, model }, { signal }),
    client.requests({ model, status: 'succeeded', start: since, limit: measured }, { signal }),
  ]);
  const cost = getPersonCost(usage.totals);
  return {
    requests: usage.totals.requests ?? 0,
    costUsd: cost === null ? null : formatUsd(nanoUsd(cost)),
    firstTokenMs: median(records.data.flatMap(({ latency_ms: { first_token } }) => first_token ?? [])),
    tokensPerSecond: median(records.data.flatMap((record) => getSpeed(record) ?? [])),
    measured: records.data.length,
  };
}

/** Returns the tokens per second after the first token, or null if the record has too little data. */
function getSpeed({
  completion_tokens: tokens,
  latency_ms: { first_token: first, total },
}: RequestRecord): number | null {
  if (first === null || total === null || total <= first || tokens < 2) return null;
  return (tokens * 1000) / (total - first);
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle ?? null;
}

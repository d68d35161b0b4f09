import type { BooksTransaction } from '../db/open.ts';
import type { RequestRow } from '../db/schema.ts';
import type { Settlement } from './ledger.ts';

/** `YYYY-MM-DD` in UTC. */
export const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** Adds an ended request to its day's counters, in the transaction that ends it: usage is read-your-writes (§2.3). */
export async function addToUsage(trx: BooksTransaction, open: RequestRow, end: Settlement): Promise<void> {
  const counters = {
    requests: 1n,
    prompt_tokens: BigInt(end.usage.promptTokens),
    completion_tokens: BigInt(end.usage.completionTokens),
    cached_tokens: BigInt(end.usage.cachedTokens),
    reasoning_tokens: BigInt(end.usage.reasoningTokens),
    charge: end.charge as bigint,
    upstream_cost: end.upstreamCost as bigint,
  };
  await trx
    .insertInto('usage_daily')
    .values({
      account_id: open.account_id,
      day: open.day,
      provider: end.provider,
      model: end.model,
      key_id: open.key_id ?? '',
      status: end.status,
      byok: open.byok,
      ...counters,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'day', 'provider', 'model', 'key_id', 'status', 'byok']).doUpdateSet((row) => ({
        requests: row('usage_daily.requests', '+', counters.requests),
        prompt_tokens: row('usage_daily.prompt_tokens', '+', counters.prompt_tokens),
        completion_tokens: row('usage_daily.completion_tokens', '+', counters.completion_tokens),
        cached_tokens: row('usage_daily.cached_tokens', '+', counters.cached_tokens),
        reasoning_tokens: row('usage_daily.reasoning_tokens', '+', counters.reasoning_tokens),
        charge: row('usage_daily.charge', '+', counters.charge),
        upstream_cost: row('usage_daily.upstream_cost', '+', counters.upstream_cost),
      })),
    )
    .execute();
}

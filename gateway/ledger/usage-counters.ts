import { sql } from 'kysely';
import { compiledOnce } from '../db/compiled-once.ts';
import type { BooksTransaction } from '../db/open.ts';
import type { Books, RequestRow } from '../db/schema.ts';
import type { Settlement } from './ledger.ts';

const dayMs = 86_400_000;
let lastDay = { number: 0, text: '1970-01-01' };

/** `YYYY-MM-DD` in UTC. Nearly every call is for the day of the one before. */
export function dayOf(milliseconds: number): string {
  const number = Math.floor(milliseconds / dayMs);
  if (number !== lastDay.number) lastDay = { number, text: new Date(milliseconds).toISOString().slice(0, 10) };
  return lastDay.text;
}

/** Adds an ended request to its day's counters, in the transaction that ends it: usage is read-your-writes (§2.3). */
export async function addToUsage(trx: BooksTransaction, open: RequestRow, end: Settlement): Promise<void> {
  await addCounters(trx, {
    account_id: open.account_id,
    day: open.day,
    provider: end.provider,
    model: end.model,
    key_id: open.key_id ?? '',
    status: end.status,
    byok: open.byok,
    requests: 1n,
    prompt_tokens: BigInt(end.usage.promptTokens),
    completion_tokens: BigInt(end.usage.completionTokens),
    cached_tokens: BigInt(end.usage.cachedTokens),
    reasoning_tokens: BigInt(end.usage.reasoningTokens),
    charge: end.charge,
    upstream_cost: end.upstreamCost,
  });
}

const addCounters = compiledOnce<Books['usage_daily']>((db, value) =>
  db
    .insertInto('usage_daily')
    .values({
      account_id: value('account_id'),
      day: value('day'),
      provider: value('provider'),
      model: value('model'),
      key_id: value('key_id'),
      status: value('status'),
      byok: value('byok'),
      requests: value('requests'),
      prompt_tokens: value('prompt_tokens'),
      completion_tokens: value('completion_tokens'),
      cached_tokens: value('cached_tokens'),
      reasoning_tokens: value('reasoning_tokens'),
      charge: value('charge'),
      upstream_cost: value('upstream_cost'),
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'day', 'provider', 'model', 'key_id', 'status', 'byok']).doUpdateSet({
        requests: added('requests'),
        prompt_tokens: added('prompt_tokens'),
        completion_tokens: added('completion_tokens'),
        cached_tokens: added('cached_tokens'),
        reasoning_tokens: added('reasoning_tokens'),
        charge: added('charge'),
        upstream_cost: added('upstream_cost'),
      }),
    ),
);

const added = (column: keyof Books['usage_daily']) =>
  sql<bigint>`${sql.ref(`usage_daily.${column}`)} + ${sql.ref(`excluded.${column}`)}`;

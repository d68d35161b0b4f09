import { sql } from 'kysely';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { type Price, ratesFor } from '#shared/price.ts';
import { priceFromJson } from '../../models/prices/price-json.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { readApart } from '../../storage/read-apart.ts';
import { isNamed, type UsageFilter } from './usage-filter.ts';

const picoPerNano = 1000n;

/**
 * What the cached input of these requests would have cost at the full price of input, less what it did cost, in USD: by the price
 * that each was charged by, with the tier for its length. Of requests without a price nothing is known to be saved. A cache
 * that costs more than input makes it negative.
 */
export async function cacheSavings(db: GatewayDb, filter: UsageFilter): Promise<string> {
  let saved = 0n;
  for (const { price: text, cached, longest } of await readApart(db, cachedByPrice(db, filter))) {
    if (text === null) continue;
    const price = priceFromJson(text);
    // Each tier prices the whole of a longer prompt: from the longest prompts down, what has no rates yet.
    let priced = 0n;
    for (const { minPromptTokens } of price.tiers.toReversed()) {
      if (BigInt(minPromptTokens) >= longest) continue;
      const longer = await cachedBeyond(db, filter, text, minPromptTokens);
      saved += (longer - priced) * savedPerToken(price, minPromptTokens + 1);
      priced = longer;
    }
    saved += (cached - priced) * savedPerToken(price, 0);
  }
  return formatUsd(nanoUsd(saved / picoPerNano));
}

function savedPerToken(price: Price, promptTokens: number): bigint {
  const rates = ratesFor(price, promptTokens);
  return rates.prompt - (rates.cacheRead ?? rates.prompt);
}

const cachedByPrice = (db: GatewayDb, filter: UsageFilter) =>
  cachedRequests(db, filter)
    .select(['price', sum.as('cached'), sql<bigint>`max(prompt_tokens)`.as('longest')])
    .groupBy('price');

async function cachedBeyond(db: GatewayDb, filter: UsageFilter, price: string, promptTokens: number): Promise<bigint> {
  const longer = cachedRequests(db, filter)
    .select(sum.as('cached'))
    .where('price', '=', price)
    .where('prompt_tokens', '>', BigInt(promptTokens));
  return (await readApart(db, longer))[0]?.cached ?? 0n;
}

const sum = sql<bigint>`cast(coalesce(sum(cached_tokens), 0) as bigint)`;

const cachedRequests = (db: GatewayDb, filter: UsageFilter) =>
  db
    .selectFrom('requests')
    .where('account_id', '=', filter.accountId)
    .where('created', '>=', BigInt(filter.startMs))
    .where('created', '<', BigInt(filter.endMs))
    .where('status', '!=', 'running')
    .where('cached_tokens', '>', 0n)
    .where('price', 'is not', null)
    .where(isNamed(filter));

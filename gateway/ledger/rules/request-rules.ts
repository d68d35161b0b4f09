import { sql } from 'kysely';
import { getCost, type Price } from '#shared/price.ts';
import { priceFromJson } from '../../models/prices/price-json.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import type { RequestRow } from '../../storage/schema.ts';
import { byokFee } from '../byok-fee.ts';
import { type Rule, sqlRule, type Violation } from './rule.ts';

const batch = 2_000;

const isFree = sql`(status = 'failed' and prompt_tokens + completion_tokens = 0)
  or (byok = 1 and (byok_fee_bps = 0 or price is null))`;

/** Rules for single requests: what each was charged and how it ended (wire contract §1.4.7). */
export const requestRules: readonly Rule[] = [
  {
    name: 'charge = tokens × the price row that was used, or the fee’s share of it',
    unit: 'money',
    check: checkCharges,
  },
  sqlRule({
    name: 'what failed and used nothing, and what ran on the caller’s own key without a fee, is charged nothing',
    unit: 'money',
    scope: sql`requests where ${isFree}`,
    violations: sql<Violation>`
      select id as place, 0 as expected, charge as found from requests
      where (${isFree}) and charge <> 0 order by id`,
  }),
  sqlRule({
    name: 'a fee is a share of at most all, and only of what ran on the caller’s own key',
    unit: 'count',
    scope: sql`requests`,
    violations: sql<Violation>`
      select id as place, 0 as expected, byok_fee_bps as found from requests
      where byok_fee_bps <> 0 and (byok <> 1 or byok_fee_bps < 0 or byok_fee_bps > 10000) order by id`,
  }),
  sqlRule({
    name: 'what runs has no end and no charge, what ended holds nothing',
    unit: 'money',
    scope: sql`requests`,
    violations: sql<Violation>`
      select id as place, 0 as expected, case when status = 'running' then charge else hold end as found from requests
      where (status = 'running' and (ended is not null or charge <> 0))
        or (status <> 'running' and (ended is null or hold <> 0)) order by id`,
  }),
  sqlRule({
    name: 'each request was made with a key of its account',
    unit: 'count',
    scope: sql`requests where key_id is not null`,
    violations: sql<Violation>`
      select r.id as place, 1 as expected, 0 as found
      from requests r left join api_keys k on k.id = r.key_id and k.account_id = r.account_id
      where r.key_id is not null and k.id is null order by r.id`,
  }),
  sqlRule({
    name: 'each kept answer is that of one request that succeeded',
    unit: 'count',
    scope: sql`kept_answers where answer is not null`,
    violations: sql<Violation>`
      select k.request_id as place, 1 as expected, cast(count(r.id) as bigint) as found
      from kept_answers k left join requests r on r.id = k.request_id and r.status = 'succeeded'
      where k.answer is not null
      group by k.request_id having count(r.id) <> 1 or count(*) <> 1 order by k.request_id`,
  }),
];

/**
 * A stored price is JSON with decimal strings, which SQL can't compute exactly. So it's read here, with the same arithmetic that
 * computes costs.
 */
async function checkCharges(db: GatewayDb) {
  const violations: Violation[] = [];
  const parsePricing = priceReader();
  let after = '';
  let checked = 0;
  for (let rows = await billed(db, after); rows.length > 0; rows = await billed(db, after)) {
    for (const row of rows) {
      const expected = expectedCharge(row, parsePricing(row.price ?? ''));
      if (expected !== row.charge) violations.push({ place: row.id, expected, found: row.charge });
      after = row.id;
    }
    checked += rows.length;
  }
  return { checked, violations };
}

/** Many requests share few prices, so each text is parsed once. The cache is bounded. */
function priceReader(): (text: string) => Price {
  const known = new Map<string, Price>();
  return (text) => {
    const price = known.get(text) ?? priceFromJson(text);
    if (known.size >= 10_000) known.clear();
    known.set(text, price);
    return price;
  };
}

const isBilled = sql<boolean>`price is not null and (status = 'succeeded' or charge > 0)`;

const tokens = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'audio_tokens',
  'cache_write_1h_tokens',
  'web_searches',
  'image_tokens',
] as const;

type BilledRow = Pick<RequestRow, 'id' | 'charge' | 'byok' | 'byok_fee_bps' | 'price' | (typeof tokens)[number]>;

const billed = (db: GatewayDb, after: string): Promise<BilledRow[]> =>
  db
    .selectFrom('requests')
    .select(['id', 'charge', 'byok', 'byok_fee_bps', 'price', ...tokens])
    .where('id', '>', after)
    .where(isBilled)
    .orderBy('id')
    .limit(batch)
    .execute();

function expectedCharge(row: BilledRow, price: Price): bigint {
  const usage = {
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    cachedTokens: Number(row.cached_tokens),
    cacheWriteTokens: Number(row.cache_write_tokens),
    reasoningTokens: Number(row.reasoning_tokens),
    audioTokens: Number(row.audio_tokens),
    cacheWriteHourTokens: Number(row.cache_write_1h_tokens),
    searches: Number(row.web_searches),
    imageTokens: Number(row.image_tokens),
  };
  return row.byok === 1n ? byokFee(price, usage, Number(row.byok_fee_bps)) : getCost(price, usage);
}

import { Hono } from 'hono';
import { sql } from 'kysely';
import { z } from 'zod';
import { addDays, isTimeZone, startOfDay } from '#shared/days.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { type Price, ratesFor } from '#shared/price.ts';
import { requestStatus } from '#shared/wire/request-record.ts';
import { type Usage, usageGroup } from '#shared/wire/usage.ts';
import type { Principal } from '../../access/auth/principal.ts';
import type { AppEnv } from '../../http/context.ts';
import { badQuery, flag, momentOrDay, readQuery } from '../../http/query.ts';
import { currentMonth, dayMs, type Period } from '../../ledger/period.ts';
import { quotas } from '../../ledger/records/account-limits.ts';
import { isNamed, type UsageFilter } from '../../ledger/records/usage-filter.ts';
import { readUsage as readSums } from '../../ledger/records/usage-store.ts';
import { priceFromJson } from '../../models/prices/price-json.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { readApart } from '../../storage/read-apart.ts';

const picoPerNano = 1000n;

/**
 * Returns what cached input has saved in USD: its cost at the full input price, minus its actual cost. Each request
 * counts with its own price, with the tier for its length. Requests without a price are left out. The result is
 * negative if a cache costs more than input.
 */
async function cacheSavings(db: GatewayDb, filter: UsageFilter): Promise<string> {
  let saved = 0n;
  for (const { price: text, cached, longest } of await readApart(db, cachedByPrice(db, filter))) {
    if (text === null) continue;
    const price = priceFromJson(text);
    // A tier applies to the whole prompt. So the tiers are applied from the longest prompts down, each to the tokens
    // that have no price yet.
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

const maxDays = 400;
const name = z.string().min(1, 'must not be empty').max(256).optional();
/** The query parameters of `GET /v1/usage`. */
export const usageQuery = z.object({
  start: momentOrDay.optional(),
  end: momentOrDay.optional(),
  group_by: usageGroup.default('model'),
  interval: z.enum(['day'], 'must be day').optional(),
  time_zone: z
    .string()
    .max(64, 'is too long')
    .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
    .default('UTC'),
  provider: name,
  model: name,
  key: name,
  status: requestStatus.optional(),
  byok: flag.optional(),
  /** Whether to include what cached input saved. */
  savings: flag.optional(),
});

type Query = z.output<typeof usageQuery>;

/** Serves `GET /v1/usage` (wire contract §2.3). All buckets are on one page, so they always add up to the totals. */
export function usageRoutes({ db, now }: { readonly db: GatewayDb; readonly now: () => number }): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/v1/usage', async (context) =>
    context.json(await readUsage(db, context.get('principal'), readQuery(context, usageQuery), now())),
  );
}

async function readUsage(db: GatewayDb, principal: Principal, asked: Query, now: number): Promise<Usage> {
  const period = getPeriod(asked, now);
  const { group_by: group, interval, time_zone: zone, provider, model, key, status, byok } = asked;
  const filter = { accountId: principal.accountId, ...period, provider, model, key, status, byok };
  const { totals, buckets } = await readSums(db, filter, { group, byDay: interval === 'day', zone });
  return {
    object: 'usage',
    period: {
      type: asked.start === undefined && asked.end === undefined ? 'month' : 'custom',
      start: period.startMs / 1000,
      end: period.endMs / 1000,
    },
    totals: { ...totals, ...(asked.savings ? { cache_savings_usd: await cacheSavings(db, filter) } : {}) },
    group_by: group,
    interval: interval ?? null,
    time_zone: zone,
    data: [...buckets],
    has_more: false,
    first_id: null,
    last_id: null,
    limits: await quotas(db, principal, now),
  };
}

/**
 * Returns the requested period, by default the current month. If one end is missing, it's the beginning of a month or
 * the end of the current one. Days are those of the time zone.
 */
function getPeriod({ start: from, end: to, time_zone: zone }: Query, now: number): Period {
  const start = typeof from === 'string' ? startOfDay(zone, from) : from;
  const end = typeof to === 'string' ? startOfDay(zone, addDays(to, 1)) : to;
  const month = currentMonth(now);
  const startMs = start ?? Math.min(month.startMs, currentMonth((end ?? month.endMs) - 1).startMs);
  const endMs = end ?? month.endMs;
  if (endMs <= startMs) throw badQuery('end', 'must be later than "start"');
  if (endMs - startMs > maxDays * dayMs) throw badQuery('start', `must be at most ${maxDays} days before "end"`);
  return { startMs, endMs };
}

import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { UsageBucket, UsageGroup } from '#shared/wire/usage.ts';
import type { BooksDb } from '../db/open.ts';
import type { UsageDailyRow } from '../db/schema.ts';
import { dayOf, type Period, splitByDays } from '../ledger/period.ts';

interface UsageFilter extends Period {
  readonly accountId: string;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly key?: string | undefined;
  readonly byok?: boolean | undefined;
}

interface UsageCounters {
  readonly requests: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
  readonly completion_tokens: number;
  readonly reasoning_tokens: number;
  readonly total_tokens: number;
  readonly cost_usd: string;
  readonly byok_requests: number;
  readonly byok_upstream_cost_usd: string;
}

/** One row of either source: a day's counters, or a single request counted as one. */
type Counted = UsageDailyRow;

type CountedExpressions = ExpressionBuilder<{ counted: Counted }, 'counted'>;

/** Sums over the whole filter. */
export async function usageTotals(db: BooksDb, filter: UsageFilter): Promise<UsageCounters> {
  const row = await counted(db, filter).select(sums).executeTakeFirstOrThrow();
  return toCounters(row);
}

const groupColumns = {
  day: ['day'],
  model: ['provider', 'model'],
  provider: ['provider'],
  key: ['key_id'],
  status: ['status'],
} as const satisfies Record<UsageGroup, readonly (keyof Counted)[]>;

/** One bucket per group; together they are the totals (wire contract §2.3). Ordered by the group's name. */
export async function usageBuckets(db: BooksDb, filter: UsageFilter, group: UsageGroup): Promise<UsageBucket[]> {
  const columns: readonly (keyof Counted)[] = groupColumns[group];
  const rows = await counted(db, filter)
    .select(sums)
    .select([...columns])
    .groupBy([...columns])
    .orderBy(columns[0] ?? 'day')
    .$if(columns.length > 1, (query) => query.orderBy(columns[1] ?? 'day'))
    .execute();
  return rows.map((row) => toBucket(row as BucketRow));
}

/** The daily counters for its whole days, and the requests themselves for what is left of a day at either end. */
function counted(db: BooksDb, filter: UsageFilter) {
  const { first, days, last } = splitByDays(filter);
  const parts = [first, last].filter((part) => part.startMs < part.endMs);
  const whole = fromDays(db, filter.accountId, days);
  const all = parts.reduce((sum, part) => sum.unionAll(fromRequests(db, filter.accountId, part)), whole);
  return db
    .selectFrom(all.as('counted'))
    .$if(filter.provider !== undefined, (query) => query.where('provider', '=', filter.provider ?? ''))
    .$if(filter.model !== undefined, (query) => query.where(modelIs(filter.model ?? '')))
    .$if(filter.key !== undefined, (query) => query.where('key_id', '=', filter.key ?? ''))
    .$if(filter.byok !== undefined, (query) => query.where('byok', '=', filter.byok ? 1n : 0n));
}

/** A model by its own name or as `provider/model`. */
const modelIs = (name: string) => (row: CountedExpressions) =>
  row.or([row('model', '=', name), row(sql<string>`provider || '/' || model`, '=', name)]);

const columns = [
  'account_id',
  'day',
  'provider',
  'model',
  'byok',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'charge',
  'upstream_cost',
] as const;

const fromDays = (db: BooksDb, accountId: string, { startMs, endMs }: Period) =>
  db
    .selectFrom('usage_daily')
    .select([...columns, 'key_id', 'status', 'requests'])
    .where('account_id', '=', accountId)
    .where('day', '>=', dayOf(startMs))
    .where('day', '<', dayOf(endMs));

const fromRequests = (db: BooksDb, accountId: string, { startMs, endMs }: Period) =>
  db
    .selectFrom('requests')
    .select([...columns, sql<string>`coalesce(key_id, '')`.as('key_id'), sql<string>`status`.as('status')])
    .select(sql<bigint>`cast(1 as bigint)`.as('requests'))
    .where('account_id', '=', accountId)
    .where('status', '!=', 'running')
    .where('created', '>=', BigInt(startMs))
    .where('created', '<', BigInt(endMs));

/** Both databases widen a sum; the cast brings it back to an exact 64-bit integer. */
const sum = (of: RawBuilder<unknown>) => sql<bigint>`cast(coalesce(sum(${of}), 0) as bigint)`;
const when = (condition: RawBuilder<unknown>, value: RawBuilder<unknown>) =>
  sql`case when ${condition} then ${value} else 0 end`;

function sums() {
  const requests = sql.ref('requests');
  const status = (name: string) => sum(when(sql`status = ${sql.lit(name)}`, requests));
  return [
    sum(requests).as('requests_sum'),
    status('succeeded').as('succeeded_sum'),
    status('failed').as('failed_sum'),
    status('cancelled').as('cancelled_sum'),
    sum(sql.ref('prompt_tokens')).as('prompt_sum'),
    sum(sql.ref('completion_tokens')).as('completion_sum'),
    sum(sql.ref('cached_tokens')).as('cached_sum'),
    sum(sql.ref('reasoning_tokens')).as('reasoning_sum'),
    sum(sql.ref('charge')).as('charge_sum'),
    sum(when(sql`byok = 1`, requests)).as('byok_sum'),
    sum(when(sql`byok = 1`, sql.ref('upstream_cost'))).as('byok_cost_sum'),
  ] as const;
}

interface SumRow {
  readonly requests_sum: bigint;
  readonly succeeded_sum: bigint;
  readonly failed_sum: bigint;
  readonly cancelled_sum: bigint;
  readonly prompt_sum: bigint;
  readonly completion_sum: bigint;
  readonly cached_sum: bigint;
  readonly reasoning_sum: bigint;
  readonly charge_sum: bigint;
  readonly byok_sum: bigint;
  readonly byok_cost_sum: bigint;
}

const toCounters = (row: SumRow): UsageCounters => ({
  requests: Number(row.requests_sum),
  succeeded: Number(row.succeeded_sum),
  failed: Number(row.failed_sum),
  cancelled: Number(row.cancelled_sum),
  prompt_tokens: Number(row.prompt_sum),
  cached_tokens: Number(row.cached_sum),
  completion_tokens: Number(row.completion_sum),
  reasoning_tokens: Number(row.reasoning_sum),
  total_tokens: Number(row.prompt_sum + row.completion_sum),
  cost_usd: formatUsd(nanoUsd(row.charge_sum)),
  byok_requests: Number(row.byok_sum),
  byok_upstream_cost_usd: formatUsd(nanoUsd(row.byok_cost_sum)),
});

type BucketRow = SumRow & Partial<Record<'day' | 'provider' | 'model' | 'key_id' | 'status', string>>;

const toBucket = (row: BucketRow): UsageBucket => ({
  object: 'usage.bucket',
  provider: row.provider ?? null,
  model: row.model ?? null,
  day: row.day ?? null,
  key: row.key_id || null,
  status: row.status ?? null,
  ...toCounters(row),
});

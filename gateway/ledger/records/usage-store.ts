import { type RawBuilder, sql } from 'kysely';
import { dayOfNumber, offsetsIn } from '#shared/days.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { lostAnswerCodes } from '#shared/wire/request-record.ts';
import type { UsageBucket, UsageGroup } from '#shared/wire/usage.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { readApart } from '../../storage/read-apart.ts';
import { dayMs, getDay, type Period, splitByDays } from '../period.ts';
import { isNamed, type UsageFilter } from './usage-filter.ts';

const charged = sql`case when byok = 1 then upstream_cost else charge end`;
/** Whether the provider may have worked on the request, and so may have charged for it. */
const mayHaveRun = sql`(prompt_tokens + completion_tokens > 0 or upstream_cost > 0
  or error_code in (${sql.join(lostAnswerCodes.map((code) => sql.lit(code)))}))`;

/**
 * Where the cost of a request comes from, derived from its own columns: one of the words of `provenance`
 * (`shared/wire/usage.ts`).
 */
const provenance = sql<string>`case
  when price is null and status <> 'failed' and prompt_tokens + completion_tokens > 0 and charge = 0 and upstream_cost = 0
    then 'unknown'
  when (status = 'failed' and charge = 0) or (status = 'cancelled' and ${charged} = 0) then case
    when ${mayHaveRun} then case when byok = 1 then 'unknown' else 'unfinished' end
    when charge = 0 then 'uncharged'
    when byok = 1 then 'byok'
    else 'billed' end
  when estimated = 1 then 'estimated'
  when byok = 1 then 'byok'
  else 'billed' end`;

/**
 * Requests whose cost is `unknown` or `unfinished`. The first two conditions repeat those of the index `requests_of_unknown_cost`
 * word for word, so that the database uses it.
 */
const isUnsettled = sql<boolean>`status <> 'running' and (status <> 'succeeded' or price is null)
  and ${provenance} in ('unknown', 'unfinished')`;

export interface UsageGrouping {
  readonly group: UsageGroup;
  /** Whether each group is also split by day. */
  readonly byDay: boolean;
  /** The time zone of the days, as an IANA name. */
  readonly zone: string;
}

const groupColumns = {
  day: ['day'],
  model: ['provider', 'model'],
  provider: ['provider'],
  key: ['key_id'],
  status: ['status'],
  purpose: ['purpose'],
  conversation: ['conversation_id'],
  error: ['error_code'],
  provenance: ['provenance'],
} as const satisfies Record<UsageGroup, readonly string[]>;

/** A column that requests can be grouped by. */
type GroupColumn = (typeof groupColumns)[UsageGroup][number];

interface Usage {
  readonly totals: ReturnType<typeof toCounters>;
  readonly buckets: readonly UsageBucket[];
}

/** Returns one bucket per group, or per group and day, sorted by name. The buckets add up to the totals (wire contract §2.3). */
export async function readUsage(db: GatewayDb, filter: UsageFilter, grouping: UsageGrouping): Promise<Usage> {
  const columns = getColumns(grouping);
  const { rows: found, readsRequests } = counted(db, filter, grouping);
  const query = found
    .select(toColumns(sums))
    .select(columns.map((column) => sql.ref<string | bigint | null>(column).as(column)))
    .groupBy(columns.map((column) => sql.ref(column)))
    .orderBy(sql.join(columns.map((column) => sql.ref(column))));
  const [counts, unsettled] = await Promise.all([
    readsRequests ? readApart(db, query) : query.execute(),
    readUnsettled(db, filter, grouping),
  ]);
  const rows = (counts as unknown as Omit<BucketRow, keyof UnsettledSums>[]).map(
    (row): BucketRow => ({ ...row, ...(unsettled.get(getKey(row, columns)) ?? nothingUnsettled) }),
  );
  return { totals: toCounters(addedUp(rows)), buckets: rows.map(toBucket) };
}

type UnsettledSums = Record<`${keyof typeof unsettledSums}_sum`, bigint>;
const nothingUnsettled: UnsettledSums = { unknown_sum: 0n, unfinished_sum: 0n };

type Columns = Partial<Record<GroupColumn, string | bigint | null>>;

const getKey = (row: Columns, columns: readonly GroupColumn[]): string =>
  JSON.stringify(columns.map((column) => String(row[column] ?? '')));

/**
 * Counts the requests of each bucket whose cost is unknown or unfinished. The daily counters don't have these, so the requests
 * are read.
 */
async function readUnsettled(db: GatewayDb, filter: UsageFilter, grouping: UsageGrouping) {
  const columns = getColumns(grouping);
  const { day, named } = getSource(filter, grouping);
  const requests = fromRequests(db, filter, day, named).select(provenance.as('cost_source')).where(isUnsettled);
  const rows = await db
    .selectFrom(requests.as('counted'))
    .where(isNamed(filter))
    .select(toColumns(unsettledSums))
    .select(columns.map((column) => sql.ref<string | bigint | null>(column).as(column)))
    .groupBy(columns.map((column) => sql.ref(column)))
    .execute();
  return new Map(
    (rows as unknown as (Columns & UnsettledSums)[]).map(({ unknown_sum, unfinished_sum, ...row }) => [
      getKey(row, columns),
      { unknown_sum, unfinished_sum },
    ]),
  );
}

function getColumns({ group, byDay }: UsageGrouping): GroupColumn[] {
  const own: readonly GroupColumn[] = groupColumns[group];
  return byDay && group !== 'day' ? ['day', ...own] : [...own];
}

/**
 * Chooses the rows to add up. For UTC days and groups that the daily counters have, full days come from the counters and partial
 * days at either end from the requests. Everything else comes from the requests.
 */
function counted(db: GatewayDb, filter: UsageFilter, grouping: UsageGrouping) {
  const { byCounters, day, named } = getSource(filter, grouping);
  const source = byCounters
    ? (fromBoth(db, filter) as unknown as ReturnType<typeof fromRequests>)
    : fromRequests(db, filter, day, named);
  const rows = db.selectFrom(source.as('counted')).where(isNamed(filter));
  return { rows, readsRequests: !byCounters || partsOfDays(filter).length > 0 };
}

/** Returns how the rows of a grouping are read, and the expression for their day. */
function getSource(filter: UsageFilter, grouping: UsageGrouping) {
  const offsets = getColumns(grouping).includes('day') ? offsetsIn(grouping.zone, filter.startMs, filter.endMs) : [];
  const isUtc = offsets.every(({ offsetMs }) => offsetMs === 0);
  const named = groupColumns[grouping.group].filter((column) => !isCounter(column));
  const byCounters = isUtc && named.length === 0;
  return { byCounters, named, day: byCounters ? sql.ref('day') : localDay(offsets) };
}

const isCounter = (column: GroupColumn) => !['purpose', 'conversation_id', 'error_code', 'provenance'].includes(column);

function fromBoth(db: GatewayDb, filter: UsageFilter) {
  const fullDays = fromDays(db, filter.accountId, splitByDays(filter).days);
  return partsOfDays(filter).reduce(
    (sum, part) => sum.unionAll(fromRequests(db, { ...filter, ...part }, sql.ref('day'))),
    fullDays,
  );
}

function partsOfDays(period: Period): Period[] {
  const { first, last } = splitByDays(period);
  return [first, last].filter((part) => part.startMs < part.endMs);
}

const summed = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'charge',
  'upstream_cost',
] as const;

/**
 * Both sources yield rows of the same form; a request counts as one. A day in another zone than UTC is a number (`dayOfNumber`).
 */
const fromDays = (db: GatewayDb, accountId: string, { startMs, endMs }: Period) =>
  db
    .selectFrom('usage_daily')
    .select(['provider', 'model', 'byok', ...summed, 'key_id', sql<string>`status`.as('status'), 'requests'])
    .select(sql<string | bigint>`day`.as('day'))
    .where('account_id', '=', accountId)
    .where('day', '>=', getDay(startMs))
    .where('day', '<', getDay(endMs));

const fromRequests = (
  db: GatewayDb,
  { accountId, startMs, endMs }: UsageFilter,
  day: RawBuilder<unknown>,
  named: readonly GroupColumn[] = [],
) =>
  db
    .selectFrom('requests')
    .select(['provider', 'model', 'byok', ...summed, sql<string>`coalesce(key_id, '')`.as('key_id')])
    .select([sql<string>`status`.as('status'), sql<bigint>`cast(1 as bigint)`.as('requests')])
    .select(sql<string | bigint>`${day}`.as('day'))
    .select(named.map((column) => (column === 'provenance' ? provenance : sql.ref<string | null>(column)).as(column)))
    .where('account_id', '=', accountId)
    .where('status', '!=', 'running')
    .where('created', '>=', BigInt(startMs))
    .where('created', '<', BigInt(endMs));

/** Returns the local day of a request as a number. The offset may change within a period, when clocks go forward or back. */
function localDay(offsets: ReturnType<typeof offsetsIn>): RawBuilder<unknown> {
  const last = sql.lit(offsets.at(-1)?.offsetMs ?? 0);
  const earlier = offsets
    .slice(0, -1)
    .map(({ untilMs, offsetMs }) => sql`when created < ${sql.lit(untilMs)} then ${sql.lit(offsetMs)}`);
  const offset = earlier.length > 0 ? sql`case ${sql.join(earlier, sql` `)} else ${last} end` : last;
  return sql`((created + ${offset}) / ${sql.lit(dayMs)})`;
}

/** Both databases widen a sum. The cast makes it an exact 64-bit integer again. */
const sum = (expression: RawBuilder<unknown>) => sql<bigint>`cast(coalesce(sum(${expression}), 0) as bigint)`;
const when = (condition: RawBuilder<unknown>, value: RawBuilder<unknown>) =>
  sql`case when ${condition} then ${value} else 0 end`;

const requests = sql.ref('requests');
const inStatus = (status: string) => sum(when(sql`status = ${sql.lit(status)}`, requests));

/** What is added up for each bucket. */
const sums = {
  requests: sum(requests),
  succeeded: inStatus('succeeded'),
  failed: inStatus('failed'),
  cancelled: inStatus('cancelled'),
  prompt: sum(sql.ref('prompt_tokens')),
  completion: sum(sql.ref('completion_tokens')),
  cached: sum(sql.ref('cached_tokens')),
  reasoning: sum(sql.ref('reasoning_tokens')),
  charge: sum(sql.ref('charge')),
  byok: sum(when(sql`byok = 1`, requests)),
  byok_cost: sum(when(sql`byok = 1`, sql.ref('upstream_cost'))),
};

/** The same for the requests whose cost isn't known, which the daily counters don't have. */
const unsettledSums = {
  unknown: sum(when(sql`cost_source = 'unknown'`, requests)),
  unfinished: sum(when(sql`cost_source = 'unfinished'`, requests)),
};

const toColumns = (all: Readonly<Record<string, RawBuilder<bigint>>>) =>
  Object.entries(all).map(([name, value]) => value.as(`${name}_sum`));

type SumRow = Record<`${keyof typeof sums}_sum`, bigint> & UnsettledSums;

function addedUp(rows: readonly SumRow[]): SumRow {
  const names = Object.keys({ ...sums, ...unsettledSums }).map((name) => `${name}_sum` as keyof SumRow);
  const total = (name: keyof SumRow) => rows.reduce((sum, row) => sum + row[name], 0n);
  return Object.fromEntries(names.map((name) => [name, total(name)])) as SumRow;
}

const toCounters = (row: SumRow) => ({
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
  unknown_cost_requests: Number(row.unknown_sum),
  unfinished_requests: Number(row.unfinished_sum),
  byok_requests: Number(row.byok_sum),
  byok_upstream_cost_usd: formatUsd(nanoUsd(row.byok_cost_sum)),
});

type BucketRow = SumRow &
  Partial<Record<Exclude<GroupColumn, 'day'>, string | null>> & { readonly day?: string | bigint };

const toBucket = (row: BucketRow): UsageBucket => ({
  object: 'usage.bucket',
  provider: row.provider ?? null,
  model: row.model ?? null,
  day: typeof row.day === 'bigint' ? dayOfNumber(Number(row.day)) : (row.day ?? null),
  key: row.key_id || null,
  status: row.status ?? null,
  ...(row.purpose === undefined ? {} : { purpose: row.purpose }),
  ...(row.conversation_id === undefined ? {} : { conversation_id: row.conversation_id }),
  ...(row.error_code === undefined ? {} : { error_code: row.error_code }),
  ...(row.provenance === undefined ? {} : { provenance: row.provenance }),
  ...toCounters(row),
});

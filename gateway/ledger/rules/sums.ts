import { type RawBuilder, sql } from 'kysely';
import type { GatewayDb } from '../../storage/open-database.ts';
import { total } from './rule.ts';

/** The counters of `usage_daily`. */
export const counters = [
  'requests',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'charge',
  'upstream_cost',
];

const bucketKeys = ['account_id', 'day', 'provider', 'model', 'key_id', 'status', 'byok'];
const bucket = sql.join(bucketKeys.map((key) => sql.ref(key)));

/**
 * Sums requests and entries once into temporary tables for the rules that compare sums, so neither memory nor the number of scans
 * grows with the ledger. Runs `check` while the tables exist. They belong to one connection, so `db` must be a single connection
 * and not a pool.
 */
export async function withSums<T>(db: GatewayDb, check: () => Promise<T>): Promise<T> {
  for (const statement of [summedRequests, summedRunning, summedEntries, wrongBuckets]) await statement.execute(db);
  const result = await check();
  for (const name of tables) await db.schema.dropTable(name).execute();
  return result;
}

const tables = ['ended_sums', 'running_sums', 'entry_sums', 'wrong_buckets'];

/** Ended requests, grouped as `usage_daily` must have them. */
const summedRequests = sql`create temporary table ended_sums as
  select account_id, day, provider, model, coalesce(key_id, '') as key_id, status, byok, cast(count(*) as bigint) as requests,
    ${sql.join(counters.slice(1).map((name) => sql`${total(sql.ref(name))} as ${sql.ref(name)}`))}
  from requests where status <> 'running'
  group by account_id, day, provider, model, coalesce(key_id, ''), status, byok`;

const summedRunning = sql`create temporary table running_sums as
  select account_id, day, key_id, cast(count(*) as bigint) as requests, ${total(sql`hold`)} as hold,
    ${total(sql`charge`)} as charge
  from requests where status = 'running' group by account_id, day, key_id`;

/** Money that was added and money that was spent. Every other entry type is a correction. */
const summedEntries = sql`create temporary table entry_sums as
  select account_id, ${total(sql`amount`)} as amount,
    ${total(sql`case when type in ('grant', 'purchase') then amount else 0 end`)} as added,
    ${total(sql`case when type in ('usage', 'byok_fee') then -amount else 0 end`)} as spent
  from ledger_entries group by account_id`;

const joinCounters = (column: (name: string) => RawBuilder<unknown>, between: RawBuilder<unknown> = sql`, `) =>
  sql.join(counters.map(column), between);
const counted = joinCounters((name) => sql.ref(name));

/**
 * Daily counters that differ from the requests. Both sides are put into one list and grouped: joining them would take time for
 * each pair.
 */
const wrongBuckets = sql`create temporary table wrong_buckets as
  select ${bucket}, ${joinCounters(
    (name) => sql`sum(case when side = 1 then ${sql.ref(name)} end) as ${sql.ref(`expected_${name}`)},
    sum(case when side = 0 then ${sql.ref(name)} end) as ${sql.ref(`found_${name}`)}`,
  )}
  from (
    select 0 as side, ${bucket}, ${counted} from usage_daily
    union all select 1, ${bucket}, ${counted} from ended_sums
  ) sides group by ${bucket}
  having ${joinCounters((name) => sql`sum(case when side = 1 then ${sql.ref(name)} else -${sql.ref(name)} end) <> 0`, sql` or `)}`;

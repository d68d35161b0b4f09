import { type RawBuilder, sql } from 'kysely';
import type { GatewayDb } from '../../storage/open-database.ts';
import { total } from './rule.ts';

/** What `usage_daily` counts. */
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
 * The requests and the entries summed once, for the rules that compare sums: in tables of this connection alone, so that
 * neither memory nor the number of passes grows with the books. Runs `look` between; on one connection.
 */
export async function withSums<T>(db: GatewayDb, look: () => Promise<T>): Promise<T> {
  for (const statement of [summedRequests, summedRunning, summedEntries, wrongBuckets]) await statement.execute(db);
  const looked = await look();
  for (const name of tables) await db.schema.dropTable(name).execute();
  return looked;
}

const tables = ['ended_sums', 'running_sums', 'entry_sums', 'wrong_buckets'];

/** Every ended request, as `usage_daily` has to have it. */
const summedRequests = sql`create temporary table ended_sums as
  select account_id, day, provider, model, coalesce(key_id, '') as key_id, status, byok, cast(count(*) as bigint) as requests,
    ${sql.join(counters.slice(1).map((name) => sql`${total(sql.ref(name))} as ${sql.ref(name)}`))}
  from requests where status <> 'running'
  group by account_id, day, provider, model, coalesce(key_id, ''), status, byok`;

const summedRunning = sql`create temporary table running_sums as
  select account_id, day, key_id, cast(count(*) as bigint) as requests, ${total(sql`hold`)} as hold,
    ${total(sql`charge`)} as charge
  from requests where status = 'running' group by account_id, day, key_id`;

/** Money that came in and money that was spent; everything else corrects. */
const summedEntries = sql`create temporary table entry_sums as
  select account_id, ${total(sql`amount`)} as amount,
    ${total(sql`case when type in ('grant', 'purchase') then amount else 0 end`)} as added,
    ${total(sql`case when type in ('usage', 'byok_fee') then -amount else 0 end`)} as spent
  from ledger_entries group by account_id`;

const each = (column: (name: string) => RawBuilder<unknown>, between: RawBuilder<unknown> = sql`, `) =>
  sql.join(counters.map(column), between);
const counted = each((name) => sql.ref(name));

/**
 * The daily counters and what they should be, put below each other and grouped: what is not the same in both. Neither is
 * looked up in the other, which would take a step for each pair of them.
 */
const wrongBuckets = sql`create temporary table wrong_buckets as
  select ${bucket}, ${each(
    (name) => sql`sum(case when side = 1 then ${sql.ref(name)} end) as ${sql.ref(`expected_${name}`)},
    sum(case when side = 0 then ${sql.ref(name)} end) as ${sql.ref(`found_${name}`)}`,
  )}
  from (
    select 0 as side, ${bucket}, ${counted} from usage_daily
    union all select 1, ${bucket}, ${counted} from ended_sums
  ) sides group by ${bucket}
  having ${each((name) => sql`sum(case when side = 1 then ${sql.ref(name)} else -${sql.ref(name)} end) <> 0`, sql` or `)}`;

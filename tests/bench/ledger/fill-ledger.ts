import { sql } from 'kysely';
import { dayMs, getDay } from '#gateway/ledger/period.ts';
import { dialectOfDb, type GatewayDb } from '#gateway/storage/open-database.ts';
import { fullRouting, samplePrice, shortRouting } from './sample-requests.ts';

/** How large the ledger should be. */
export interface Extent {
  readonly requests: number;
  /** The first account has half of the requests, the others share the rest. */
  readonly accounts: number;
  /** The requests are spread evenly over this many days, the last of which ends now. */
  readonly days: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export const largestAccount = 'acct_000001';
const granted = 1_000_000_000_000_000n;

/**
 * Writes an exact ledger such as a gateway has after a year, with SQL statements: about ten thousand requests a second.
 * The schema may be an earlier version's, as long as it has the columns named here.
 */
export async function fillLedger(db: GatewayDb, extent: Extent, onProgress: (requests: number) => void = () => {}) {
  const first = extent.now - (extent.now % dayMs) - (extent.days - 1) * dayMs;
  await fillAccounts(db, extent.accounts, first);
  for (let day = 0; day < extent.days; day += 1) {
    const from = Math.floor((extent.requests * day) / extent.days);
    const to = Math.floor((extent.requests * (day + 1)) / extent.days);
    const start = first + day * dayMs;
    const end = Math.min(start + dayMs, extent.now);
    await db.transaction().execute((trx) => fillDay(trx, { from, to, start, end, accounts: extent.accounts }));
    onProgress(to);
  }
  for (const statement of countersFromUsage) await sql.raw(statement).execute(db);
}

/** Each account has a key and a second key made by the first. */
async function fillAccounts(db: GatewayDb, accounts: number, created: number): Promise<void> {
  const series = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(accounts)})`;
  const money = sql.lit(granted);
  await sql`insert into accounts (id, name, plan, status, balance, granted, created) ${series}
    select ${accountId('i')}, 'Account ' || i, 'pro', 'active', ${money}, ${money}, ${sql.lit(created)} from n`.execute(
    db,
  );
  await sql`insert into ledger_entries (id, account_id, type, amount, balance_after, created)
    select 'txn_' || id, id, 'grant', granted, balance, created from accounts order by id`.execute(db);
  const bytes = dialectOfDb(db) === 'postgres' ? 'bytea' : 'blob';
  for (const [suffix, parent] of [
    ['a', sql`null`],
    ['b', sql`'key_' || id || 'a'`],
  ] as const) {
    await sql`insert into api_keys (id, account_id, digest, prefix, scopes, created, parent_id)
      select 'key_' || id || ${sql.lit(suffix)}, id, cast(id || ${sql.lit(suffix)} as ${sql.raw(bytes)}), 'p', '["chat"]',
        created, ${parent} from accounts order by id`.execute(db);
  }
}

interface Day {
  /** Numbers of the day's requests; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds since the epoch; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly accounts: number;
}

async function fillDay(db: GatewayDb, day: Day): Promise<void> {
  if (day.to === day.from) return;
  await insertRequests(db, day);
  const added = sql`requests r where r.id >= ${ulidAt('req', day.start)} and r.id < ${ulidAt('req', day.end)}`;
  await sql`insert into ledger_entries (id, account_id, type, amount, balance_after, created, description, request_id, provider, model)
    select 'txn_' || substr(r.id, 5), r.account_id, 'usage', -r.charge,
      cast((select a.balance from accounts a where a.id = r.account_id)
        - sum(r.charge) over (partition by r.account_id order by r.id) as bigint),
      r.ended, r.provider || '/' || r.model, r.id, r.provider, r.model
    from ${added} and r.charge > 0 order by r.id`.execute(db);
  await sql`insert into usage_daily (account_id, day, provider, model, key_id, status, byok, requests, prompt_tokens,
      completion_tokens, cached_tokens, reasoning_tokens, charge, upstream_cost)
    select account_id, day, provider, model, key_id, status, 0, count(*), sum(prompt_tokens), sum(completion_tokens), 0, 0,
      sum(charge), sum(upstream_cost) from ${added} group by account_id, day, provider, model, key_id, status`.execute(
    db,
  );
  await sql`update accounts set balance = balance - s.charge, used = used + s.charge
    from (select r.account_id, cast(sum(r.charge) as bigint) as charge from ${added} group by r.account_id) s
    where s.account_id = accounts.id`.execute(db);
}

async function insertRequests(db: GatewayDb, { from, to, start, end, accounts }: Day): Promise<void> {
  const created = sql`(${sql.lit(start)} + (i - ${sql.lit(from)}) * ${sql.lit(end - start)} / ${sql.lit(to - from)})`;
  const account = sql`case when i % 2 = 0 then 1 else 2 + (i * 7919) % ${sql.lit(Math.max(1, accounts - 1))} end`;
  const models = [
    'gpt-5-mini',
    'gpt-5',
    'claude-haiku-4-5',
    'claude-sonnet-5',
    'gemini-3.1-flash-lite',
    'gemini-2.5-pro',
  ];
  const model = sql`case i % 6 ${sql.join(
    models.map((name, index) => sql`when ${sql.lit(index)} then ${sql.lit(name)}`),
    sql` `,
  )} end`;
  await sql`
    insert into requests (id, account_id, key_id, instance_id, created, day, ended, status, error_code, provider, model,
      purpose, conversation_id, metadata, byok, hold, lease_until, charge, upstream_cost, prompt_tokens, completion_tokens,
      first_token_ms, total_ms, price, routing)
    with recursive n (i) as (
      select cast(${sql.lit(from)} as bigint) union all select i + 1 from n where i < ${sql.lit(to - 1)}
    ), seen as (
      select i, ${created} as created, ${accountId(account)} as account_id, ${model} as model,
        case i % 50 when 0 then 'failed' when 1 then 'cancelled' else 'succeeded' end as status,
        case when i % 50 = 0 then 0 else 100 + (i * 31) % 3000 end as prompt,
        case when i % 50 = 0 then 0 else 10 + (i * 17) % 900 end as completion
      from n
    )
    select ${ulid('req', sql`created`, sql`i`)}, account_id, 'key_' || account_id || case i % 3 when 0 then 'b' else 'a' end,
      'inst_1', created, ${sql.lit(getDay(start))}, created + 1200, status,
      case status when 'failed' then 'upstream_error' end,
      case i % 6 / 2 when 0 then 'openai' when 1 then 'anthropic' else 'google' end, model, 'chat',
      case when i % 4 < 2 then 'conv_' || (i / 40) end,
      case when i % 4 < 2 then '{"client_request_id":"answer-' || i || '"}' else '{}' end, 0, 0, 0,
      prompt * 1000 + completion * 2000, prompt * 1000 + completion * 2000, prompt, completion, 300, 1200,
      ${sql.lit(samplePrice)}, case i % 10 when 0 then ${sql.lit(fullRouting)} else ${sql.lit(shortRouting)} end
    from seen`.execute(db);
}

const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Makes an id that grows with time, as `newId` does, with a number in place of the random part. */
const ulid = (prefix: string, time: ReturnType<typeof sql>, number: ReturnType<typeof sql>) =>
  sql`${sql.lit(`${prefix}_`)} || ${sql.join(
    Array.from({ length: 10 }, (_, index) => {
      const letter = sql`((${time} >> ${sql.lit(45 - index * 5)}) & 31) + 1`;
      return sql`substr(${sql.lit(letters)}, cast(${letter} as integer), 1)`;
    }),
    sql` || `,
  )} || substr(cast(10000000000000000 + ${number} as text), 2)`;

/** Returns the lowest id of a moment. */
function ulidAt(prefix: string, time: number): string {
  let text = '';
  for (let remaining = time; text.length < 10; remaining = Math.floor(remaining / 32))
    text = `${letters[remaining % 32]}${text}`;
  return `${prefix}_${text}`;
}

const accountId = (number: ReturnType<typeof sql> | string) =>
  sql`'acct_' || substr(cast(1000000 + ${typeof number === 'string' ? sql.raw(number) : number} as text), 2)`;

/**
 * The counters of quotas and keys, calculated from the daily counters. That's complete because no request is running.
 */
const countersFromUsage = [
  `update accounts set
    day = coalesce((select max(day) from usage_daily u where u.account_id = accounts.id), ''),
    month = coalesce((select max(substr(day, 1, 7)) from usage_daily u where u.account_id = accounts.id), '')`,
  `update accounts set
    day_requests = coalesce((select sum(requests) from usage_daily u where u.account_id = accounts.id and u.day = accounts.day), 0),
    month_used = coalesce((select sum(charge) from usage_daily u
      where u.account_id = accounts.id and substr(u.day, 1, 7) = accounts.month), 0)`,
  `update api_keys set spent = coalesce((select sum(charge) from usage_daily u
    where u.account_id = api_keys.account_id and (u.key_id = api_keys.id or api_keys.parent_id is null)), 0)`,
];

import { type RawBuilder, sql } from 'kysely';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { BooksDb, OpenBooks } from '../db/open.ts';

type Books = Pick<OpenBooks, 'db' | 'dialect'>;

/** One thing that is off, by how much at most a nano-dollar would be told. */
interface BooksProblem {
  readonly where: string;
  readonly expected: string;
  readonly found: string;
}

export interface BooksCheck {
  readonly name: string;
  /** How many rows were looked at. */
  readonly checked: number;
  readonly problems: readonly BooksProblem[];
  /** More problems than are listed. */
  readonly more: number;
}

export interface BooksReport {
  readonly ok: boolean;
  readonly checks: readonly BooksCheck[];
  readonly sums: {
    readonly accounts: number;
    readonly requests: number;
    readonly entries: number;
    readonly granted_usd: string;
    readonly used_usd: string;
    readonly balance_usd: string;
    readonly held_usd: string;
  };
}

/** Listed of one check; the rest is counted. */
const listed = 20;

/** Money that came in and money that was spent; everything else corrects. */
const addedTypes = sql`('grant', 'purchase')`;
const spentTypes = sql`('usage', 'byok_fee')`;

const total = (expression: RawBuilder<unknown>) => sql`cast(coalesce(sum(${expression}), 0) as bigint)`;

interface Rule {
  readonly name: string;
  /** What was looked at, as a count. */
  readonly scope: RawBuilder<{ count: bigint }>;
  /** One row per violation: `place`, `expected`, `found`. */
  readonly violations: RawBuilder<Violation>;
  readonly unit: 'money' | 'count';
}

interface Violation {
  readonly place: string;
  readonly expected: bigint | null;
  readonly found: bigint | null;
}

const countOf = (table: RawBuilder<unknown>) =>
  sql<{ count: bigint }>`select cast(count(*) as bigint) as count from ${table}`;

/** An account's column against the sum of its rows elsewhere. */
const accountRule = (name: string, column: string, sum: RawBuilder<unknown>): Rule => ({
  name,
  scope: countOf(sql`accounts`),
  unit: 'money',
  violations: sql<Violation>`
    select id as place, expected, found
    from (select a.id, (${sum}) as expected, a.${sql.ref(column)} as found from accounts a) sums
    where expected <> found order by id`,
});

const entries = (condition: RawBuilder<unknown>, sign: RawBuilder<unknown>) =>
  sql`select ${total(sql`${sign} e.amount`)} from ledger_entries e where e.account_id = a.id and ${condition}`;

const counters = [
  'requests',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'charge',
  'upstream_cost',
];

/** Every ended request summed as `usage_daily` has to have it. */
const summedRequests = sql`
  select account_id, day, provider, model, coalesce(key_id, '') as key_id, status, byok, cast(count(*) as bigint) as requests,
    ${sql.join(counters.slice(1).map((name) => sql`${total(sql.ref(name))} as ${sql.ref(name)}`))}
  from requests where status <> 'running'
  group by account_id, day, provider, model, coalesce(key_id, ''), status, byok`;

const bucketKeys = ['account_id', 'day', 'provider', 'model', 'key_id', 'status', 'byok'];
const sameBucket = sql.join(
  bucketKeys.map((key) => sql`s.${sql.ref(key)} = d.${sql.ref(key)}`),
  sql` and `,
);

/** The daily counters of one column against the requests, in both directions. */
const dailyRule = (column: string): Rule => ({
  name: `daily ${column.replace('_', ' ')} = sum of the requests`,
  scope: countOf(sql`usage_daily`),
  unit: column === 'charge' || column === 'upstream_cost' ? 'money' : 'count',
  violations: sql<Violation>`
    with s as (${summedRequests})
    select d.account_id || ' ' || d.day || ' ' || d.provider || '/' || d.model as place,
      s.${sql.ref(column)} as expected, d.${sql.ref(column)} as found
    from usage_daily d left join s on ${sameBucket}
    where coalesce(s.${sql.ref(column)}, 0) <> d.${sql.ref(column)}
    union all
    select s.account_id || ' ' || s.day || ' ' || s.provider || '/' || s.model, s.${sql.ref(column)}, null
    from s left join usage_daily d on ${sameBucket}
    where d.account_id is null and s.${sql.ref(column)} <> 0`,
});

/** The invariants of the books (wire contract §2.3, §2.4, §2.7). */
const rules: readonly Rule[] = [
  accountRule('balance = sum of the entries', 'balance', entries(sql`1 = 1`, sql``)),
  accountRule('granted = sum of what was added', 'granted', entries(sql`e.type in ${addedTypes}`, sql``)),
  accountRule('used = sum of what was charged', 'used', entries(sql`e.type in ${spentTypes}`, sql`-`)),
  accountRule(
    'held = sum of the running holds',
    'held',
    sql`select ${total(sql`r.hold`)} from requests r where r.account_id = a.id and r.status = 'running'`,
  ),
  {
    name: 'each balance after = the one before + the amount',
    scope: countOf(sql`ledger_entries`),
    unit: 'money',
    violations: sql<Violation>`
      select id as place, previous + amount as expected, balance_after as found
      from (
        select id, seq, amount, balance_after,
          coalesce(lag(balance_after) over (partition by account_id order by seq), 0) as previous
        from ledger_entries
      ) chain
      where previous + amount <> balance_after order by seq`,
  },
  {
    name: 'one usage entry for each charged request',
    scope: countOf(sql`requests where charge > 0`),
    unit: 'money',
    violations: sql<Violation>`
      select r.id as place, -r.charge as expected, ${total(sql`e.amount`)} as found
      from requests r left join ledger_entries e
        on e.request_id = r.id and e.type = 'usage' and e.account_id = r.account_id
      where r.charge > 0
      group by r.id, r.charge
      having count(e.id) <> 1 or ${total(sql`e.amount`)} <> -r.charge
      order by r.id`,
  },
  {
    name: 'one charged request for each usage entry',
    scope: countOf(sql`ledger_entries where type = 'usage'`),
    unit: 'money',
    violations: sql<Violation>`
      select e.id as place, case when r.status = 'running' then 0 else -r.charge end as expected, e.amount as found
      from ledger_entries e left join requests r on r.id = e.request_id and r.account_id = e.account_id
      where e.type = 'usage' and (r.id is null or r.status = 'running' or -r.charge <> e.amount)
      order by e.seq`,
  },
  ...counters.map(dailyRule),
];

/** Checks every invariant of the books in one snapshot; gateways may go on serving them meanwhile. */
export const verifyBooks = (books: Books): Promise<BooksReport> =>
  inSnapshot(books, async (db) => {
    const checks: BooksCheck[] = [];
    for (const rule of rules) checks.push(await check(db, rule));
    return { ok: checks.every((one) => one.problems.length === 0), checks, sums: await sumsOf(db) };
  });

/** SQLite's own transactions here begin as writers and would make a serving gateway wait; a reader in WAL does not. */
function inSnapshot<T>({ db, dialect }: Books, read: (db: BooksDb) => Promise<T>): Promise<T> {
  if (dialect === 'postgres') return db.transaction().setIsolationLevel('repeatable read').execute(read);
  return db.connection().execute(async (connection) => {
    await sql`begin deferred`.execute(connection);
    try {
      return await read(connection);
    } finally {
      await sql`commit`.execute(connection);
    }
  });
}

async function check(db: BooksDb, rule: Rule): Promise<BooksCheck> {
  const { rows: counted } = await rule.scope.execute(db);
  const { rows } = await rule.violations.execute(db);
  const shown = (value: bigint | null) =>
    value === null ? 'nothing' : rule.unit === 'money' ? `$${formatUsd(nanoUsd(BigInt(value)))}` : String(value);
  return {
    name: rule.name,
    checked: Number(counted[0]?.count ?? 0n),
    problems: rows
      .slice(0, listed)
      .map(({ place, expected, found }) => ({ where: place, expected: shown(expected), found: shown(found) })),
    more: Math.max(0, rows.length - listed),
  };
}

async function sumsOf(db: BooksDb): Promise<BooksReport['sums']> {
  const { rows } = await sql<Record<'accounts' | 'granted' | 'used' | 'balance' | 'held', bigint>>`
    select cast(count(*) as bigint) as accounts, ${total(sql`granted`)} as granted, ${total(sql`used`)} as used,
      ${total(sql`balance`)} as balance, ${total(sql`held`)} as held from accounts`.execute(db);
  const [requests, entriesCount] = [
    await countOf(sql`requests`).execute(db),
    await countOf(sql`ledger_entries`).execute(db),
  ];
  const usd = (amount: bigint | undefined) => formatUsd(nanoUsd(amount ?? 0n));
  const [row] = rows;
  return {
    accounts: Number(row?.accounts ?? 0n),
    requests: Number(requests.rows[0]?.count ?? 0n),
    entries: Number(entriesCount.rows[0]?.count ?? 0n),
    granted_usd: usd(row?.granted),
    used_usd: usd(row?.used),
    balance_usd: usd(row?.balance),
    held_usd: usd(row?.held),
  };
}

import { type RawBuilder, sql } from 'kysely';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { GatewayDb, OpenDatabase } from '../storage/open-database.ts';
import { requestRules } from './rules/request-rules.ts';
import { getCount, type Rule, sqlRule, total, type Violation } from './rules/rule.ts';
import { counters, withSums } from './rules/sums.ts';
import { readModelLimits } from './spending-limits.ts';

/** The type of the entry for a charge. `r` is the request. */
const kindOfCharge = sql`(case when r.byok = 1 then 'byok_fee' else 'usage' end)`;

/** Charged requests whose entry is missing or has another amount. The query uses the unique index of each entry type. */
const withoutEntry = (type: 'usage' | 'byok_fee', byok: number) => sql<Violation>`
  select r.id as place, -r.charge as expected, coalesce(e.amount, 0) as found
  from requests r left join ledger_entries e
    on e.request_id = r.id and e.type = ${sql.lit(type)} and e.account_id = r.account_id
  where r.charge > 0 and r.byok = ${sql.lit(byok)} and (e.amount is null or e.amount <> -r.charge)`;

const withSeveral = (type: 'usage' | 'byok_fee') => sql<Violation>`
  select request_id, 1 as expected, cast(count(*) as bigint) as found from ledger_entries
  where type = ${sql.lit(type)} and request_id is not null group by request_id having count(*) > 1`;

/** Databases in which every charged request has its entry, with the number of charged requests. */
const matched = new WeakMap<GatewayDb, number>();

const oneForEachCharge: Rule = {
  name: 'one usage or fee entry for each charged request',
  unit: 'money',
  async check(db) {
    const { rows } = await sql<Violation>`
      ${withoutEntry('usage', 0)} union all ${withoutEntry('byok_fee', 1)}
      union all ${withSeveral('usage')} union all ${withSeveral('byok_fee')} order by place`.execute(db);
    const checked = await getCount(db, sql`requests where charge > 0`);
    if (rows.length === 0) matched.set(db, checked);
    return { checked, violations: rows };
  },
};

/**
 * If every charged request has its entry and there are exactly as many entries, no entry can be wrong, and the expensive join is
 * skipped.
 */
const oneForEachEntry: Rule = {
  name: 'one charged request for each usage or fee entry',
  unit: 'money',
  async check(db) {
    const checked = await getCount(db, sql`ledger_entries where type in ('usage', 'byok_fee')`);
    if (checked === matched.get(db) && (await getCount(db, sql`running_sums where charge <> 0`)) === 0)
      return { checked, violations: [] };
    const { rows } = await sql<Violation>`
      select e.id as place, case when r.status = 'running' then 0 else -r.charge end as expected, e.amount as found
      from ledger_entries e left join requests r on r.id = e.request_id and r.account_id = e.account_id
      where e.type in ('usage', 'byok_fee')
        and (r.id is null or r.status = 'running' or -r.charge <> e.amount or e.type <> ${kindOfCharge})
      order by e.seq`.execute(db);
    return { checked, violations: rows };
  },
};

/** Rules for the append-only entries, among themselves and against the requests (wire contract §2.4). */
const entryRules: readonly Rule[] = [
  sqlRule({
    name: 'each balance after = the one before + the amount',
    unit: 'money',
    scope: sql`ledger_entries`,
    violations: sql<Violation>`
      select id as place, previous + amount as expected, balance_after as found
      from (
        select id, seq, amount, balance_after,
          coalesce(lag(balance_after) over (partition by account_id order by seq), 0) as previous
        from ledger_entries
      ) chain
      where previous + amount <> balance_after order by seq`,
  }),
  sqlRule({
    name: 'what was added is above zero and what was spent below',
    unit: 'money',
    scope: sql`ledger_entries where type in ('grant', 'purchase', 'usage', 'byok_fee')`,
    violations: sql<Violation>`
      select id as place, -amount as expected, amount as found from ledger_entries
      where (type in ('grant', 'purchase') and amount <= 0) or (type in ('usage', 'byok_fee') and amount >= 0)
      order by seq`,
  }),
  oneForEachCharge,
  oneForEachEntry,
];

/** Compares a column of each account with the sum of the rows that it's derived from. `a` is the account. */
const accountRule = (name: string, column: string, sums: RawBuilder<unknown>, unit: Rule['unit'] = 'money'): Rule =>
  sqlRule({
    name,
    unit,
    scope: sql`accounts`,
    violations: sql<Violation>`
      select a.id as place, coalesce(s.expected, 0) as expected, a.${sql.ref(column)} as found
      from accounts a left join (${sums}) s on s.account_id = a.id
      where coalesce(s.expected, 0) <> a.${sql.ref(column)} order by a.id`,
  });

const entries = (column: string) => sql`select account_id, ${sql.ref(column)} as expected from entry_sums`;

/** Sums a column of ended and running requests since the account's current day or month. */
const requestsSince = (column: string, since: RawBuilder<unknown>) => sql`
  select r.account_id, ${total(sql`r.amount`)} as expected from (
    select account_id, day, ${sql.ref(column)} as amount from ended_sums
    union all select account_id, day, ${sql.ref(column)} from running_sums
  ) r join accounts on accounts.id = r.account_id where ${since} group by r.account_id`;

/** The balance and the counters that quotas use (wire contract §2.4, §2.7, §7). */
const accountRules: readonly Rule[] = [
  accountRule('balance = sum of the entries', 'balance', entries('amount')),
  accountRule('granted = sum of what was added', 'granted', entries('added')),
  accountRule('used = sum of what was charged', 'used', entries('spent')),
  accountRule(
    'held = sum of the running holds',
    'held',
    sql`select account_id, ${total(sql`hold`)} as expected from running_sums group by account_id`,
  ),
  // An account's month and day only move forward, so no later charge can exist.
  accountRule(
    'month used = sum of the charges since its month began',
    'month_used',
    requestsSince('charge', sql`substr(r.day, 1, 7) >= accounts.month`),
  ),
  accountRule(
    'day used = sum of the charges since its day began',
    'day_used',
    requestsSince('charge', sql`r.day >= accounts.day`),
  ),
  accountRule(
    'day requests = number of the requests since its day began',
    'day_requests',
    requestsSince('requests', sql`r.day >= accounts.day`),
    'count',
  ),
];

/**
 * Each key with itself and every ancestor. `union` drops duplicates, so the recursion ends even if keys minted each other in a
 * circle.
 */
const lines = sql`
  with recursive line (id, ancestor) as (
    select id, id from api_keys
    union select line.id, above.parent_id from line join api_keys above on above.id = line.ancestor
    where above.parent_id is not null
  )`;

/** Compares a column of a key with the requests made with it and with the keys minted under it. */
const keyRule = (name: string, column: 'spent' | 'held', requests: RawBuilder<unknown>): Rule =>
  sqlRule({
    name,
    unit: 'money',
    scope: sql`api_keys`,
    violations: sql<Violation>`
      ${lines}, own as (select key_id, ${total(sql`amount`)} as amount from (${requests}) r group by key_id),
      sums as (
        select line.ancestor as id, ${total(sql`own.amount`)} as amount
        from own join line on line.id = own.key_id group by line.ancestor
      )
      select k.id as place, coalesce(s.amount, 0) as expected, k.${sql.ref(column)} as found
      from api_keys k left join sums s on s.id = k.id
      where coalesce(s.amount, 0) <> k.${sql.ref(column)} order by k.id`,
  });

const charged = sql`select key_id, charge as amount from ended_sums union all select key_id, charge from running_sums`;

/** A spending limit covers a key and all keys minted under it, so the sums of a key include theirs (wire contract §10). */
export const keyRules: readonly Rule[] = [
  keyRule('key spent = sum of its requests and of the keys it minted', 'spent', charged),
  keyRule(
    'key held = sum of its running holds and of the keys it minted',
    'held',
    sql`select key_id, hold as amount from running_sums`,
  ),
  sqlRule({
    name: 'each minted key comes from a key of its account, and none from itself',
    unit: 'count',
    scope: sql`api_keys where parent_id is not null`,
    violations: sql<Violation>`
      ${lines}
      select k.id as place, 1 as expected, 0 as found
      from api_keys k left join api_keys p on p.id = k.parent_id
      where k.parent_id is not null and (
        p.id is null or p.account_id <> k.account_id
        or exists (select 1 from line where line.id = k.parent_id and line.ancestor = k.id)
      ) order by k.id`,
  }),
];

/** Compares the counters in the limits of single models with the sums of the requests (wire contract §7). */
function modelRule(name: string, counted: 'used' | 'held'): Rule {
  return {
    name,
    unit: 'money',
    async check(db) {
      const accounts = await db
        .selectFrom('accounts')
        .select(['id', 'month', 'model_limits'])
        .where('model_limits', 'is not', null)
        .orderBy('id')
        .execute();
      const violations: Violation[] = [];
      let checked = 0;
      for (const { id, month, model_limits } of accounts) {
        for (const [model, limit] of readModelLimits(model_limits)) {
          checked += 1;
          const expected = await getSum(db, counted, { id, month, model });
          if (expected !== limit[counted]) {
            violations.push({ place: `${id} ${model}`, expected, found: limit[counted] });
          }
        }
      }
      return { checked, violations };
    },
  };
}

async function getSum(
  db: GatewayDb,
  counted: 'used' | 'held',
  { id, month, model }: { readonly id: string; readonly month: string; readonly model: string },
): Promise<bigint> {
  const isModel = sql`account_id = ${id} and provider || '/' || model = ${model}`;
  const { rows } =
    counted === 'held'
      ? await sql<{ sum: bigint }>`
          select ${total(sql`hold`)} as sum from requests where status = 'running' and ${isModel}`.execute(db)
      : await sql<{ sum: bigint }>`
          select ${total(sql`charge`)} as sum from ended_sums where substr(day, 1, 7) >= ${month} and ${isModel}`.execute(
          db,
        );
  return rows[0]?.sum ?? 0n;
}

const modelRules: readonly Rule[] = [
  modelRule('a model’s limit has counted what it was charged since the account’s month began', 'used'),
  modelRule('a model’s limit holds what its running requests hold', 'held'),
];

/** Compares one column of the daily counters with the requests, in both directions (wire contract §2.3). */
function dailyRule(column: string): Rule {
  const [expected, found] = [sql.ref(`expected_${column}`), sql.ref(`found_${column}`)];
  return sqlRule({
    name: `daily ${column.replace('_', ' ')} = sum of the requests`,
    scope: sql`usage_daily`,
    unit: column === 'charge' || column === 'upstream_cost' ? 'money' : 'count',
    violations: sql<Violation>`
      select account_id || ' ' || day || ' ' || provider || '/' || model as place, cast(${expected} as bigint) as expected,
        cast(${found} as bigint) as found
      from wrong_buckets where coalesce(${expected}, 0) <> coalesce(${found}, 0)`,
  });
}

const usageRules: readonly Rule[] = counters.map(dailyRule);

type LedgerDb = Pick<OpenDatabase, 'db' | 'dialect'>;

/** A single violation, formatted for the report. Amounts are exact to the nano-USD. */
interface LedgerProblem {
  readonly where: string;
  readonly expected: string;
  readonly found: string;
}

export interface LedgerCheck {
  readonly name: string;
  /** How many rows were checked. */
  readonly checked: number;
  readonly problems: readonly LedgerProblem[];
  /** How many problems exist beyond the listed ones. */
  readonly more: number;
}

export interface LedgerReport {
  readonly ok: boolean;
  readonly checks: readonly LedgerCheck[];
  readonly sums: {
    readonly accounts: number;
    readonly requests: number;
    readonly entries: number;
    readonly granted_usd: string;
    readonly used_usd: string;
    readonly balance_usd: string;
    readonly held_usd: string;
    /** Running requests, and those of them whose lease has run out. The next sweep ends the latter. */
    readonly running: number;
    readonly abandoned: number;
  };
}

/** How many violations of one rule are listed. The rest is only counted. */
const listed = 20;

/** The invariants of the ledger (wire contract §1.4.7, §2.3, §2.4, §2.7, §7). */
const rules: readonly Rule[] = [
  ...accountRules,
  ...modelRules,
  ...keyRules,
  ...entryRules,
  ...requestRules,
  ...usageRules,
];

/** Checks every invariant of the ledger in one snapshot. Gateways may keep serving the database meanwhile. */
export const checkLedger = (gatewayDb: LedgerDb, now: () => number = Date.now): Promise<LedgerReport> =>
  inSnapshot(gatewayDb, async (db) => {
    const checks: LedgerCheck[] = [];
    await withSums(db, async () => {
      for (const rule of rules) checks.push(await checkRule(db, rule));
    });
    return { ok: checks.every((entry) => entry.problems.length === 0), checks, sums: await getSums(db, now()) };
  });

/**
 * Kysely's SQLite transactions here begin as writers, which would make a serving gateway wait. A deferred reader in WAL mode
 * doesn't.
 */
function inSnapshot<T>({ db, dialect }: LedgerDb, read: (db: GatewayDb) => Promise<T>): Promise<T> {
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

async function checkRule(db: GatewayDb, rule: Rule): Promise<LedgerCheck> {
  const { checked, violations } = await rule.check(db);
  const shown = (value: bigint | null) =>
    value === null ? 'nothing' : rule.unit === 'money' ? `$${formatUsd(nanoUsd(BigInt(value)))}` : String(value);
  return {
    name: rule.name,
    checked,
    problems: violations
      .slice(0, listed)
      .map(({ place, expected, found }) => ({ where: place, expected: shown(expected), found: shown(found) })),
    more: Math.max(0, violations.length - listed),
  };
}

async function getSums(db: GatewayDb, now: number): Promise<LedgerReport['sums']> {
  const { rows } = await sql<Record<'granted' | 'used' | 'balance' | 'held', bigint>>`
    select ${total(sql`granted`)} as granted, ${total(sql`used`)} as used,
      ${total(sql`balance`)} as balance, ${total(sql`held`)} as held from accounts`.execute(db);
  const usd = (amount: bigint | undefined) => formatUsd(nanoUsd(amount ?? 0n));
  const [row] = rows;
  return {
    accounts: await getCount(db, sql`accounts`),
    requests: await getCount(db, sql`requests`),
    entries: await getCount(db, sql`ledger_entries`),
    granted_usd: usd(row?.granted),
    used_usd: usd(row?.used),
    balance_usd: usd(row?.balance),
    held_usd: usd(row?.held),
    running: await getCount(db, sql`requests where status = 'running'`),
    abandoned: await getCount(db, sql`requests where status = 'running' and lease_until < ${BigInt(now)}`),
  };
}

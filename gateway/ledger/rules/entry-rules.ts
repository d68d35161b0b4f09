import { sql } from 'kysely';
import type { GatewayDb } from '../../storage/open-database.ts';
import { getCount, type Rule, sqlRule, type Violation } from './rule.ts';

/** What a charge is booked as. `r` is the request. */
const kindOfCharge = sql`(case when r.byok = 1 then 'byok_fee' else 'usage' end)`;

/** The charged requests of one kind whose entry is missing or says another amount: the unique index of its type finds it. */
const withoutEntry = (type: 'usage' | 'byok_fee', byok: number) => sql<Violation>`
  select r.id as place, -r.charge as expected, coalesce(e.amount, 0) as found
  from requests r left join ledger_entries e
    on e.request_id = r.id and e.type = ${sql.lit(type)} and e.account_id = r.account_id
  where r.charge > 0 and r.byok = ${sql.lit(byok)} and (e.amount is null or e.amount <> -r.charge)`;

const withSeveral = (type: 'usage' | 'byok_fee') => sql<Violation>`
  select request_id, 1 as expected, cast(count(*) as bigint) as found from ledger_entries
  where type = ${sql.lit(type)} and request_id is not null group by request_id having count(*) > 1`;

/** Books in which each charged request has its entry, and how many there are of these. */
const matched = new WeakMap<GatewayDb, number>();

const oneForEachCharge: Rule = {
  name: 'one usage or fee entry for each charged request',
  unit: 'money',
  async look(db) {
    const { rows } = await sql<Violation>`
      ${withoutEntry('usage', 0)} union all ${withoutEntry('byok_fee', 1)}
      union all ${withSeveral('usage')} union all ${withSeveral('byok_fee')} order by place`.execute(db);
    const checked = await getCount(db, sql`requests where charge > 0`);
    if (rows.length === 0) matched.set(db, checked);
    return { checked, violations: rows };
  },
};

/** Where each charged request has its entry, and there are no more of these, none is another's: nothing need be looked up. */
const oneForEachEntry: Rule = {
  name: 'one charged request for each usage or fee entry',
  unit: 'money',
  async look(db) {
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

/** The append-only entries, among themselves and against the requests (wire contract §2.4). */
export const entryRules: readonly Rule[] = [
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

import { sql } from 'kysely';
import { type Rule, sqlRule, total, type Violation } from './rule.ts';

/** What a charge is booked as. `r` is the request. */
const kindOfCharge = sql`(case when r.byok = 1 then 'byok_fee' else 'usage' end)`;

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
  sqlRule({
    name: 'one usage or fee entry for each charged request',
    unit: 'money',
    scope: sql`requests where charge > 0`,
    violations: sql<Violation>`
      select r.id as place, -r.charge as expected, ${total(sql`e.amount`)} as found
      from requests r left join ledger_entries e
        on e.request_id = r.id and e.type = ${kindOfCharge} and e.account_id = r.account_id
      where r.charge > 0
      group by r.id, r.charge
      having count(e.id) <> 1 or ${total(sql`e.amount`)} <> -r.charge
      order by r.id`,
  }),
  sqlRule({
    name: 'one charged request for each usage or fee entry',
    unit: 'money',
    scope: sql`ledger_entries where type in ('usage', 'byok_fee')`,
    violations: sql<Violation>`
      select e.id as place, case when r.status = 'running' then 0 else -r.charge end as expected, e.amount as found
      from ledger_entries e left join requests r on r.id = e.request_id and r.account_id = e.account_id
      where e.type in ('usage', 'byok_fee')
        and (r.id is null or r.status = 'running' or -r.charge <> e.amount or e.type <> ${kindOfCharge})
      order by e.seq`,
  }),
];

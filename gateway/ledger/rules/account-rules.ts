import { type RawBuilder, sql } from 'kysely';
import { type Rule, sqlRule, total, type Violation } from './rule.ts';

/** An account's column against what its rows elsewhere come to, for each account that has any. `a` is the account. */
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

/** Of the ended and the running requests, since a moment that the account names. */
const requestsSince = (column: string, since: RawBuilder<unknown>) => sql`
  select r.account_id, ${total(sql`r.amount`)} as expected from (
    select account_id, day, ${sql.ref(column)} as amount from ended_sums
    union all select account_id, day, ${sql.ref(column)} from running_sums
  ) r join accounts on accounts.id = r.account_id where ${since} group by r.account_id`;

/** The balance and the counters that quotas are read from (wire contract §2.4, §2.7, §7). */
export const accountRules: readonly Rule[] = [
  accountRule('balance = sum of the entries', 'balance', entries('amount')),
  accountRule('granted = sum of what was added', 'granted', entries('added')),
  accountRule('used = sum of what was charged', 'used', entries('spent')),
  accountRule(
    'held = sum of the running holds',
    'held',
    sql`select account_id, ${total(sql`hold`)} as expected from running_sums group by account_id`,
  ),
  // The month and the day only move on, so that nothing later than them may be booked.
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

import { type RawBuilder, sql } from 'kysely';
import { type Rule, sqlRule, total, type Violation } from './rule.ts';

/** Money that came in and money that was spent; everything else corrects. */
const addedTypes = sql`('grant', 'purchase')`;
const spentTypes = sql`('usage', 'byok_fee')`;

/** An account's column against what its rows elsewhere come to. `a` is the account. */
const accountRule = (name: string, column: string, sum: RawBuilder<unknown>, unit: Rule['unit'] = 'money'): Rule =>
  sqlRule({
    name,
    unit,
    scope: sql`accounts`,
    violations: sql<Violation>`
      select id as place, expected, found
      from (select a.id, (${sum}) as expected, a.${sql.ref(column)} as found from accounts a) sums
      where expected <> found order by id`,
  });

const entries = (condition: RawBuilder<unknown>, sign: RawBuilder<unknown>) =>
  sql`select ${total(sql`${sign} e.amount`)} from ledger_entries e where e.account_id = a.id and ${condition}`;

const requests = (sum: RawBuilder<unknown>, condition: RawBuilder<unknown>) =>
  sql`select ${sum} from requests r where r.account_id = a.id and ${condition}`;

/** The balance and the counters that quotas are read from (wire contract §2.4, §2.7, §7). */
export const accountRules: readonly Rule[] = [
  accountRule('balance = sum of the entries', 'balance', entries(sql`1 = 1`, sql``)),
  accountRule('granted = sum of what was added', 'granted', entries(sql`e.type in ${addedTypes}`, sql``)),
  accountRule('used = sum of what was charged', 'used', entries(sql`e.type in ${spentTypes}`, sql`-`)),
  accountRule('held = sum of the running holds', 'held', requests(total(sql`r.hold`), sql`r.status = 'running'`)),
  // The month and the day only move on, so that nothing later than them may be booked.
  accountRule(
    'month used = sum of the charges since its month began',
    'month_used',
    requests(total(sql`r.charge`), sql`substr(r.day, 1, 7) >= a.month`),
  ),
  accountRule(
    'day requests = number of the requests since its day began',
    'day_requests',
    requests(sql`cast(count(*) as bigint)`, sql`r.day >= a.day`),
    'count',
  ),
];

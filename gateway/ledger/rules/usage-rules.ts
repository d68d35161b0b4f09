import { sql } from 'kysely';
import { type Rule, sqlRule, type Violation } from './rule.ts';
import { counters } from './sums.ts';

/** The daily counters of one column against the requests, in both directions (wire contract §2.3). */
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

export const usageRules: readonly Rule[] = counters.map(dailyRule);

import { sql } from 'kysely';
import { type Rule, sqlRule, total, type Violation } from './rule.ts';

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

/** The daily counters of one column against the requests, in both directions (wire contract §2.3). */
const dailyRule = (column: string): Rule =>
  sqlRule({
    name: `daily ${column.replace('_', ' ')} = sum of the requests`,
    scope: sql`usage_daily`,
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

export const usageRules: readonly Rule[] = counters.map(dailyRule);

import { type RawBuilder, sql } from 'kysely';
import { type Rule, sqlRule, total, type Violation } from './rule.ts';

/** Each key with itself and every key above it. `union` ends even where keys would mint each other in a circle. */
const lines = sql`
  with recursive line (id, ancestor) as (
    select id, id from api_keys
    union select line.id, above.parent_id from line join api_keys above on above.id = line.ancestor
    where above.parent_id is not null
  )`;

/** A key's column against the requests made with it and with the keys minted under it. */
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

/** Spending limits hold for a key and all that it minted, so that its sums are theirs too (wire contract §10). */
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

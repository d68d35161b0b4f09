import { type RawBuilder, sql } from 'kysely';
import type { GatewayDb } from '../../storage/open-database.ts';
import { readAsStored } from '../../storage/read-apart.ts';
import type { AccountRow, ApiKeyRow } from '../../storage/schema.ts';

/** A key in a line of ancestors, with everything else that decides whether it's valid. */
export interface Link extends ApiKeyRow {
  /** The key whose line it is: this one, or a descendant of it. */
  readonly asked: string;
  readonly plan: string;
  readonly account_status: AccountRow['status'];
  /** 0 when a token minted the key and isn't valid any more, for another reason than its expiry. */
  readonly token_stands: bigint | number;
}

/**
 * Whether spent and held amounts must be exact. `as stored` may lack events that haven't been flushed, but doesn't wait for a
 * flush.
 */
export type Amounts = 'exact' | 'as stored';

/** `keys.ts` prevents longer lines. The bound ends the recursion if somebody made a circle by hand. */
const maxDistance = 100;

/**
 * Returns the keys that match a condition on `api_keys`, each with its ancestors, nearest first. One query, whatever the depth.
 * `now` is in milliseconds.
 */
export async function readLines(
  db: GatewayDb,
  wanted: RawBuilder<unknown>,
  now: number,
  amounts: Amounts,
): Promise<Link[][]> {
  const query = sql<Link>`
    with recursive line (asked, id, parent_id, distance) as (
      select id, id, parent_id, 0 from api_keys where ${wanted}
      union all
      select line.asked, above.id, above.parent_id, line.distance + 1
      from line join api_keys above on above.id = line.parent_id where line.distance < ${maxDistance}
    )
    select line.asked, api_keys.*, accounts.plan, accounts.status as account_status,
      case when ${tokenStands(now)} then 1 else 0 end as token_stands
    from line join api_keys on api_keys.id = line.id join accounts on accounts.id = api_keys.account_id
    order by line.asked, line.distance`;
  const rows = amounts === 'as stored' ? await readAsStored(db, query) : (await query.execute(db)).rows;
  return [...Map.groupBy(rows, ({ asked }) => asked).values()];
}

/**
 * Whether the token that minted a key is still valid apart from its expiry. It must not be revoked, alone or with all tokens of
 * its user or account; the user must be active, and the signing key must not be withdrawn. True for keys that no token minted.
 */
const tokenStands = (now: number) => sql<boolean>`(api_keys.token_user is null or (
    exists (
      select 1 from users join accounts as home on home.id = users.account_id
      where users.id = api_keys.token_user and home.id = api_keys.account_id and users.status = 'active'
        and users.tokens_valid_after <= api_keys.token_issued and home.tokens_valid_after <= api_keys.token_issued
    )
    and not exists (select 1 from revoked_tokens where jti = api_keys.token_id)
    and (api_keys.token_key is null or exists (
      select 1 from token_keys where kid = api_keys.token_key and (retires_at is null or retires_at > ${BigInt(now)})
    ))
  ))`;

/** Counts the working keys of an account. Whatever ends a key also ends its descendants, so the query starts from the top. */
export async function countWorking(db: GatewayDb, accountId: string, now: number): Promise<number> {
  const lives = sql`api_keys.revoked_at is null and (api_keys.expires_at is null or api_keys.expires_at > ${BigInt(now)})`;
  const { rows } = await sql<{ working: bigint }>`
    with recursive working (id) as (
      select id from api_keys where account_id = ${accountId} and parent_id is null and ${lives} and ${tokenStands(now)}
      union all select api_keys.id from api_keys join working on api_keys.parent_id = working.id where ${lives}
    ) select count(*) as working from working`.execute(db);
  return Number(rows[0]?.working ?? 0);
}

/** A condition on `api_keys`: the key itself or a descendant of it. */
export const isWithin = (id: string) => sql<boolean>`api_keys.id in (
    with recursive tree (id) as (
      select id from api_keys where id = ${id}
      union select below.id from api_keys as below join tree on below.parent_id = tree.id
    ) select id from tree)`;

import { type RawBuilder, sql } from 'kysely';
import type { GatewayDb } from '../../storage/open-database.ts';
import { readAsStored } from '../../storage/read-apart.ts';
import type { AccountRow, ApiKeyRow } from '../../storage/schema.ts';

/** One key of a line, with what else decides whether it is worth anything. */
export interface Link extends ApiKeyRow {
  /** The key whose line it is: itself, or one that comes from it. */
  readonly asked: string;
  readonly plan: string;
  readonly account_status: AccountRow['status'];
  /** 0: a token minted it that is worth nothing any more, for another reason than its end. */
  readonly token_stands: bigint | number;
}

/** Whether what the keys have spent and hold is wanted as it is now. As stored it may lack the last steps, and is there sooner. */
export type Amounts = 'exact' | 'as stored';

/** Longer lines do not come about (`keys.ts`); a circle made by hand has to end. */
const longest = 100;

/**
 * The keys that a condition on `api_keys` names, each with those it comes from, nearest first: one query, whatever the depth.
 * `now` in milliseconds.
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
      from line join api_keys above on above.id = line.parent_id where line.distance < ${longest}
    )
    select line.asked, api_keys.*, accounts.plan, accounts.status as account_status,
      case when ${tokenStands(now)} then 1 else 0 end as token_stands
    from line join api_keys on api_keys.id = line.id join accounts on accounts.id = api_keys.account_id
    order by line.asked, line.distance`;
  const rows = amounts === 'as stored' ? await readAsStored(db, query) : (await query.execute(db)).rows;
  return [...Map.groupBy(rows, ({ asked }) => asked).values()];
}

/**
 * Whether the token that minted a key still stands, but for its end: neither it nor its user's or account's tokens were
 * revoked, the user may sign in, and the key it was signed with was not withdrawn. True of keys that no token minted.
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

/** How many keys of an account work. Whatever ends a key ends those below it, so that they are found from above. */
export async function countWorking(db: GatewayDb, accountId: string, now: number): Promise<number> {
  const lives = sql`api_keys.revoked_at is null and (api_keys.expires_at is null or api_keys.expires_at > ${BigInt(now)})`;
  const { rows } = await sql<{ working: bigint }>`
    with recursive working (id) as (
      select id from api_keys where account_id = ${accountId} and parent_id is null and ${lives} and ${tokenStands(now)}
      union all select api_keys.id from api_keys join working on api_keys.parent_id = working.id where ${lives}
    ) select count(*) as working from working`.execute(db);
  return Number(rows[0]?.working ?? 0);
}

/** A condition on `api_keys`: a key, or one that comes from it. */
export const isWithin = (id: string) => sql<boolean>`api_keys.id in (
    with recursive tree (id) as (
      select id from api_keys where id = ${id}
      union select below.id from api_keys as below join tree on below.parent_id = tree.id
    ) select id from tree)`;

import { type RawBuilder, sql } from 'kysely';
import type { Scope } from '#shared/wire/account.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import type { AccountRow, ApiKeyRow } from '../../storage/schema.ts';
import { type Amounts, type Link, readLines } from './key-line.ts';
import { scopesFromJson } from './scopes.ts';

/** What a line of keys allows. Null: no bound. Amounts are nano-USD, times are milliseconds since the epoch. */
interface Bounds {
  readonly spendLimit: bigint | null;
  readonly expiresAt: bigint | null;
}

/**
 * What a key may do now: as much as the key and all its ancestors allow together. None of it is stored with the key, so a
 * restriction of an ancestor applies to it at the same moment (decision 029).
 */
export interface KeyStanding extends Bounds {
  readonly row: ApiKeyRow;
  readonly plan: string;
  /** The first status that isn't active among the accounts of the key and its ancestors. */
  readonly accountStatus: AccountRow['status'];
  readonly isRevoked: boolean;
  /** When it was revoked. Null if it was not, or if the time is unknown. */
  readonly revokedAt: bigint | null;
  readonly scopes: readonly Scope[];
  /** The bounds of the ancestors and the token, without the key's own. */
  readonly above: Bounds;
  /** The number of keys in the line, including this one, and the number from the topmost key with a limit. */
  readonly generations: number;
  readonly limitedGenerations: number;
}

/** Returns the standings of the keys that match a condition on `api_keys`, by their ids. */
export async function keyStandings(
  db: GatewayDb,
  wanted: RawBuilder<unknown>,
  now: number,
  amounts: Amounts = 'exact',
): Promise<ReadonlyMap<string, KeyStanding>> {
  const lines = await readLines(db, wanted, now, amounts);
  return new Map(lines.flatMap(([key, ...above]) => (key ? [[key.id, getStanding(key, above)] as const] : [])));
}

/** Returns the standings of these keys. */
export const getStandings = (db: GatewayDb, ids: readonly string[], now: number, amounts?: Amounts) =>
  keyStandings(db, sql`id in (${sql.join(ids.length > 0 ? ids : [null])})`, now, amounts);

function getStanding(key: Link, above: readonly Link[]): KeyStanding {
  const line = [key, ...above];
  const bounds = getBounds([...above.flatMap(ownBounds), tokenBounds(key)]);
  return {
    row: key,
    plan: key.plan,
    accountStatus: line.find(({ account_status }) => account_status !== 'active')?.account_status ?? 'active',
    // A line whose topmost key is missing proves nothing, so it counts as revoked.
    isRevoked: line.some(isEnded) || line.at(-1)?.parent_id !== null,
    revokedAt: narrowest(line.map(({ revoked_at }) => revoked_at)),
    scopes: scopesFromJson(key.scopes).filter((scope) =>
      above.every(({ scopes }) => scopesFromJson(scopes).includes(scope)),
    ),
    ...getBounds([bounds, ...ownBounds(key)]),
    above: bounds,
    generations: line.length,
    limitedGenerations: line.findLastIndex(({ spend_limit }) => spend_limit !== null) + 1,
  };
}

const isEnded = ({ revoked_at, token_stands }: Link) => revoked_at !== null || Number(token_stands) === 0;

const ownBounds = (link: Link): Bounds[] => [
  { spendLimit: link.spend_limit, expiresAt: link.expires_at },
  tokenBounds(link),
];

const tokenBounds = ({ token_expires }: Link): Bounds => ({
  spendLimit: null,
  expiresAt: token_expires === null ? null : token_expires * 1000n,
});

const getBounds = (all: readonly Bounds[]): Bounds => ({
  spendLimit: narrowest(all.map(({ spendLimit }) => spendLimit)),
  expiresAt: narrowest(all.map(({ expiresAt }) => expiresAt)),
});

/** Returns the narrowest of several bounds. */
const narrowest = (values: readonly (bigint | null)[]): bigint | null =>
  values.reduce((found, value) => (found === null || (value !== null && value < found) ? value : found), null);

import { type RawBuilder, sql } from 'kysely';
import type { Scope } from '#shared/wire/account.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import type { AccountRow, ApiKeyRow } from '../../storage/schema.ts';
import { type Amounts, type Link, readLines } from './key-line.ts';
import { scopesFromJson } from './scopes.ts';

/** What a line allows; null: without that bound. Amounts in nano-USD, times in milliseconds since the epoch. */
interface Bounds {
  readonly spendLimit: bigint | null;
  readonly expiresAt: bigint | null;
}

/**
 * What a key is worth now: as much as it and all that it comes from allow together. Nothing of that is written down with the
 * key, so that whatever is taken from one above it is taken from it in the same moment (decision 029).
 */
export interface KeyStanding extends Bounds {
  readonly row: ApiKeyRow;
  readonly plan: string;
  /** The first that is not active, of its account and those of the keys above it. */
  readonly accountStatus: AccountRow['status'];
  readonly isRevoked: boolean;
  /** Where it is known. */
  readonly revokedAt: bigint | null;
  readonly scopes: readonly Scope[];
  /** What the keys and the token above it leave it. */
  readonly above: Bounds;
  /** How many keys the line has, itself included; and how many from the uppermost one with a limit on. */
  readonly generations: number;
  readonly limitedGenerations: number;
}

/** How the keys stand that a condition on `api_keys` names, by their ids. */
export async function keyStandings(
  db: GatewayDb,
  wanted: RawBuilder<unknown>,
  now: number,
  amounts: Amounts = 'exact',
): Promise<ReadonlyMap<string, KeyStanding>> {
  const lines = await readLines(db, wanted, now, amounts);
  return new Map(lines.flatMap(([key, ...above]) => (key ? [[key.id, getStanding(key, above)] as const] : [])));
}

/** How these keys stand. */
export const getStandings = (db: GatewayDb, ids: readonly string[], now: number, amounts?: Amounts) =>
  keyStandings(db, sql`id in (${sql.join(ids.length > 0 ? ids : [null])})`, now, amounts);

function getStanding(key: Link, above: readonly Link[]): KeyStanding {
  const line = [key, ...above];
  const over = getBounds([...above.flatMap(ownBounds), tokenBounds(key)]);
  return {
    row: key,
    plan: key.plan,
    accountStatus: line.find(({ account_status }) => account_status !== 'active')?.account_status ?? 'active',
    // A line whose upper end is not to be seen proves nothing.
    isRevoked: line.some(isEnded) || line.at(-1)?.parent_id !== null,
    revokedAt: least(line.map(({ revoked_at }) => revoked_at)),
    scopes: scopesFromJson(key.scopes).filter((one) =>
      above.every(({ scopes }) => scopesFromJson(scopes).includes(one)),
    ),
    ...getBounds([over, ...ownBounds(key)]),
    above: over,
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
  spendLimit: least(all.map(({ spendLimit }) => spendLimit)),
  expiresAt: least(all.map(({ expiresAt }) => expiresAt)),
});

/** The narrowest of several bounds. */
const least = (values: readonly (bigint | null)[]): bigint | null =>
  values.reduce((found, value) => (found === null || (value !== null && value < found) ? value : found), null);

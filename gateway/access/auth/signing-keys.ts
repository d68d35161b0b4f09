import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint } from 'jose';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import type { GatewayDb, GatewayTransaction } from '../../storage/open-database.ts';
import type { TokenKeyRow } from '../../storage/schema.ts';
import type { Transact } from '../../storage/transact.ts';
import { requireKeySecret } from './key-secret.ts';
import type { Peppers } from './pepper.ts';
import { canOpenKey, openKey, sealKey } from './sealed-key.ts';

/** A key is published this long before it signs, so that everyone who caches the key set has it by then (§4.6). */
export const publishedBeforeMs = 15 * 60_000;
/** A key stays published this long after its last signature, which is longer than any token lives. */
export const publishedAfterMs = 24 * 3_600_000 + 60_000;
const modulusLength = 2048;

const publicJwk = z.object({ kty: z.literal('RSA'), n: z.string(), e: z.string() });

export interface SigningKeysDeps {
  readonly db: GatewayDb;
  readonly transact: Transact;
  readonly peppers: Peppers;
  readonly now: () => number;
}

/** A published key as the operator sees it: what it does now, and until when. Times are milliseconds. */
export interface TokenKeySummary {
  readonly kid: string;
  readonly state: 'signing' | 'scheduled' | 'standby' | 'retiring';
  readonly signsFrom: number | null;
  readonly retiresAt: number | null;
}

/** Returns all keys whose tokens are accepted, oldest first. */
export const publishedKeys = (db: GatewayDb, now: number): Promise<TokenKeyRow[]> =>
  db
    .selectFrom('token_keys')
    .selectAll()
    .where((key) => key.or([key('retires_at', 'is', null), key('retires_at', '>', BigInt(now))]))
    .orderBy('created')
    .orderBy('kid')
    .execute();

/** Returns a public key as `/.well-known/jwks.json` shows it (RFC 7517). */
export const toJwk = (row: TokenKeyRow) => ({
  ...publicJwk.parse(JSON.parse(row.public_jwk)),
  kid: row.kid,
  use: 'sig' as const,
  alg: row.alg,
});

/** Returns the key that signs now, with its private half. Creates the first pair of keys if there is none. */
export async function signingKey(deps: SigningKeysDeps): Promise<{ kid: string; key: KeyObject }> {
  await requireKeySecret(deps);
  const row = signerAmong(await publishedKeys(deps.db, deps.now()), deps.now()) ?? (await createFirst(deps));
  return { kid: row.kid, key: openKey(row.sealed_key, row.kid, deps.peppers) };
}

/** Returns what each published key does at this moment. */
export async function describeKeys(db: GatewayDb, now: number): Promise<TokenKeySummary[]> {
  const rows = await publishedKeys(db, now);
  const signer = signerAmong(rows, now);
  return rows.map((row) => ({
    kid: row.kid,
    state:
      row === signer ? 'signing' : row.signs_from === null ? 'standby' : isLater(row, now) ? 'scheduled' : 'retiring',
    signsFrom: row.signs_from === null ? null : Number(row.signs_from),
    retiresAt: row.retires_at === null ? null : Number(row.retires_at),
  }));
}

const isLater = (row: TokenKeyRow, now: number) => row.signs_from !== null && row.signs_from > BigInt(now);

/** Returns the key that began to sign last. States depend only on dates, so every process switches at the same moment. */
function signerAmong(rows: readonly TokenKeyRow[], now: number): TokenKeyRow | undefined {
  const started = rows.filter((row) => row.signs_from !== null && row.signs_from <= BigInt(now));
  return started.toSorted((a, b) => Number((a.signs_from ?? 0n) - (b.signs_from ?? 0n))).at(-1);
}

/**
 * Rotates the keys: the standby signs once it has been published for 15 minutes, the earlier keys retire a token's lifetime
 * later, and a new standby is published. `atOnce` is for a leaked key: it switches and retires now. If the secret is lost, the
 * standby can't be decrypted, and `atOnce` replaces both keys.
 */
export async function rotateKeys(deps: SigningKeysDeps, atOnce: boolean): Promise<TokenKeySummary[]> {
  const now = deps.now();
  if (atOnce) await requireKeySecret(deps);
  else await signingKey(deps);
  const next = await nextSigner(deps, atOnce);
  const fresh = [await newKey(deps, null), ...(next ? [] : [await newKey(deps, now)])];
  const published = Number(next?.created ?? now) + publishedBeforeMs;
  const signsFrom = BigInt(atOnce ? now : Math.max(now, published));
  const retiresAt = atOnce ? BigInt(now) : signsFrom + BigInt(publishedAfterMs);
  await deps.transact(async (trx) => {
    const waiting = await trx
      .selectFrom('token_keys')
      .select('signs_from')
      .where('signs_from', '>', BigInt(now))
      .executeTakeFirst();
    if (waiting && !atOnce) throw alreadyRotating(Number(waiting.signs_from));
    await trx
      .updateTable('token_keys')
      .set({ retires_at: retiresAt })
      .where('signs_from', 'is not', null)
      .where((key) => key.or([key('retires_at', 'is', null), key('retires_at', '>', retiresAt)]))
      .execute();
    if (next) await promote(trx, next.kid, signsFrom);
    // The standby can't be decrypted with any secret, so it has never signed and never will.
    else await trx.deleteFrom('token_keys').where('signs_from', 'is', null).execute();
    await trx.insertInto('token_keys').values(fresh).execute();
  });
  return describeKeys(deps.db, now);
}

/** Returns the standby, or null when it can't be decrypted and `atOnce` doesn't need it. */
async function nextSigner({ db, now, peppers }: SigningKeysDeps, atOnce: boolean): Promise<TokenKeyRow | null> {
  const standby = (await publishedKeys(db, now())).find((row) => row.signs_from === null);
  if (standby && canOpenKey(standby.sealed_key, standby.kid, peppers)) return standby;
  if (atOnce) return null;
  if (!standby) throw new AppError('internal_error', 'There is no standby key to rotate to.');
  // Throws the error that explains why it can't be decrypted.
  openKey(standby.sealed_key, standby.kid, peppers);
  return standby;
}

async function promote(trx: GatewayTransaction, kid: string, signsFrom: bigint): Promise<void> {
  const promoted = await trx
    .updateTable('token_keys')
    .set({ signs_from: signsFrom })
    .where('kid', '=', kid)
    .where('signs_from', 'is', null)
    .executeTakeFirst();
  if (promoted.numUpdatedRows !== 1n) throw new Error('the keys were rotated by another process at the same time');
}

const alreadyRotating = (signsFrom: number) =>
  new AppError(
    'invalid_input',
    `A rotation is under way: the next key signs from ${new Date(signsFrom).toISOString()}. Wait for it, or use --at-once.`,
  );

/** Creates a signer and a standby. If another process was first, its keys are used. */
async function createFirst(deps: SigningKeysDeps): Promise<TokenKeyRow> {
  const [signer, standby] = [await newKey(deps, deps.now()), await newKey(deps, null)];
  const isFirst = await deps
    .transact(async (trx) => {
      const known = await trx.selectFrom('token_keys').select('kid').limit(1).executeTakeFirst();
      if (known) return false;
      await trx.insertInto('token_keys').values([signer, standby]).execute();
      return true;
    })
    .catch(async (error: unknown) => {
      if ((await publishedKeys(deps.db, deps.now())).length > 0) return false;
      throw error;
    });
  if (isFirst) return signer;
  const existing = signerAmong(await publishedKeys(deps.db, deps.now()), deps.now());
  if (!existing) throw new AppError('internal_error', 'None of the keys that sign tokens is valid now.');
  return existing;
}

const generate = promisify(generateKeyPair);

async function newKey({ now, peppers }: SigningKeysDeps, signsFrom: number | null): Promise<TokenKeyRow> {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength, publicExponent: 0x10001 });
  const jwk = publicJwk.parse(publicKey.export({ format: 'jwk' }));
  const kid = await calculateJwkThumbprint(jwk, 'sha256');
  return {
    kid,
    alg: 'RS256',
    public_jwk: JSON.stringify(jwk),
    sealed_key: sealKey(privateKey, kid, peppers),
    created: BigInt(now()),
    signs_from: signsFrom === null ? null : BigInt(signsFrom),
    retires_at: null,
  };
}

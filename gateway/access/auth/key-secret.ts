import { createHmac } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import { dialectOfDb, type GatewayDb } from '../../storage/open-database.ts';
import type { KeySecretTable } from '../../storage/token-tables.ts';
import type { Transact } from '../../storage/transact.ts';
import type { Peppers } from './pepper.ts';
import { canOpenKey } from './sealed-key.ts';

/**
 * A database recognizes the secrets that its keys and tokens were made with by a check value of each (docs/decisions/112). A
 * process with another secret would make keys that work nowhere.
 */

const checkedText = 'portico key secret check v1';

const checkValue = (pepper: Uint8Array): Buffer => createHmac('sha256', pepper).update(checkedText).digest();

type KnownSecrets = readonly Pick<KeySecretTable, 'place' | 'check_value'>[];

const isKnown = (known: KnownSecrets, pepper: Uint8Array): boolean =>
  known.some(({ check_value }) => checkValue(pepper).equals(check_value));

const readKnown = (db: GatewayDb): Promise<KnownSecrets> =>
  db.selectFrom('key_secrets').select(['place', 'check_value']).orderBy('place').execute();

export interface KeySecretDeps {
  readonly db: GatewayDb;
  readonly peppers: Peppers;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Whether any key or token was made. The secret can't be exchanged after that. */
export async function isSecretInUse(db: GatewayDb): Promise<boolean> {
  const key = await db.selectFrom('api_keys').select('id').limit(1).executeTakeFirst();
  return Boolean(key ?? (await db.selectFrom('token_keys').select('kid').limit(1).executeTakeFirst()));
}

/**
 * Called before a key or a token is made. Records the secret when it's the first one. Throws `invalid_input` when the database
 * knows its secrets and none of these is among them.
 */
export async function requireKeySecret({ db, peppers, now }: KeySecretDeps): Promise<void> {
  const [signer] = peppers;
  // Another process may record its own secret at the same moment. The loop reads again, and what the database then has decides.
  for (;;) {
    const known = await readKnown(db);
    requireAnyKnown(db, known, peppers);
    if (isKnown(known, signer)) return;
    const isOlder = known.length === 0 && (await isSecretInUse(db));
    const proven = isOlder ? await findProven(db, peppers) : signer;
    // A database from before check values: the first API key that is used proves its secret (`createSecretProof`).
    if (!proven) return;
    await note(db, known, proven, now());
  }
}

/**
 * Called when a server starts. Records its secret in a new database, and in an older one the secret that decrypts its token keys.
 * Throws `invalid_input` when keys or tokens exist that were made with none of these secrets.
 */
export async function claimKeySecret(deps: KeySecretDeps & { readonly transact: Transact }): Promise<void> {
  const { db, peppers, now } = deps;
  const known = await readKnown(db);
  if (peppers.some((pepper) => isKnown(known, pepper))) return;
  if (await isSecretInUse(db)) {
    requireAnyKnown(db, known, peppers);
    const proven = await findProven(db, peppers);
    if (proven) await note(db, known, proven, now());
  } else if (known.length === 0) await note(db, known, peppers[0], now());
  else await replaceKnown(deps);
}

/**
 * Replaces lost secrets by these. Everything made with the lost ones stops working. Throws `invalid_input` when one of these is
 * in use, because then nothing is lost.
 */
export async function replaceKeySecret(deps: KeySecretDeps & { readonly transact: Transact }): Promise<void> {
  const known = await readKnown(deps.db);
  if (deps.peppers.some((pepper) => isKnown(known, pepper))) {
    throw new AppError('invalid_input', 'This secret is the one that the database knows: there is nothing to replace.');
  }
  await replaceKnown(deps);
}

async function replaceKnown({
  peppers,
  now,
  transact,
}: KeySecretDeps & { readonly transact: Transact }): Promise<void> {
  await transact(async (trx) => {
    await trx.deleteFrom('key_secrets').execute();
    for (const pepper of peppers) await note(trx, await readKnown(trx), pepper, now());
  });
}

/**
 * Returns a function that records the secret with which an API key was found, or null when the database knows all of these
 * secrets.
 */
export async function createSecretProof({
  db,
  peppers,
  now,
  log,
}: KeySecretDeps & { readonly log: (entry: Readonly<Record<string, unknown>>) => void }): Promise<
  ((pepper: Uint8Array) => void) | null
> {
  const known = await readKnown(db);
  const unproven = new Set<Uint8Array>(peppers.filter((pepper) => !isKnown(known, pepper)));
  if (unproven.size === 0) return null;
  return (pepper) => {
    if (!unproven.delete(pepper)) return;
    const noted = readKnown(db).then((latest) => note(db, latest, pepper, now()));
    noted.catch((error: unknown) => {
      unproven.add(pepper);
      log({ event: 'key_secret_not_noted', level: 'error', cause: String(error) });
    });
  };
}

/** Writes nothing when another process has taken the place. */
async function note(db: GatewayDb, known: KnownSecrets, pepper: Uint8Array, now: number): Promise<void> {
  if (isKnown(known, pepper)) return;
  const place = (known.at(-1)?.place ?? 0n) + 1n;
  await db
    .insertInto('key_secrets')
    .values({ place, check_value: checkValue(pepper), created: BigInt(now) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns the secret that decrypts one of the private keys for tokens. */
async function findProven(db: GatewayDb, peppers: Peppers): Promise<Uint8Array | undefined> {
  const rows = await db.selectFrom('token_keys').select(['kid', 'sealed_key']).execute();
  return peppers.find((pepper) => rows.some(({ kid, sealed_key }) => canOpenKey(sealed_key, kid, [pepper])));
}

function requireAnyKnown(db: GatewayDb, known: KnownSecrets, peppers: Peppers): void {
  if (known.length === 0 || peppers.some((pepper) => isKnown(known, pepper))) return;
  const right =
    dialectOfDb(db) === 'postgres'
      ? 'set PORTICO_KEY_PEPPER to the one that its servers use'
      : 'set PORTICO_KEY_PEPPER to the one that its server uses, or leave it unset where that keeps its secret in the file DB.pepper';
  throw new AppError(
    'invalid_input',
    `The key secret is not the one that this database's keys and tokens were made with: ${right} ` +
      '(if it is lost, "gateway secret replace" takes this one in its place).',
  );
}

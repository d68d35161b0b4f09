import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { AppError } from '#shared/errors.ts';
import { type GatewayDb, getDialect } from '../../storage/open-database.ts';
import { isSecretInUse } from './key-secret.ts';

/**
 * Secrets that API keys are hashed with. The first one is used for new keys; all of them verify. The type rules out an empty
 * list.
 */
export type Peppers = readonly [Uint8Array, ...Uint8Array[]];

const variable = 'PORTICO_KEY_PEPPER';
const minLength = 32;

/**
 * Returns the peppers of the environment (a comma-separated list, the new one first), or null when a SQLite database should keep
 * its own. Throws `invalid_input` for a weak one, and when PostgreSQL, which several machines share, has none.
 */
export function peppersFromEnvironment(
  database: string,
  env: Readonly<Record<string, string | undefined>>,
): Peppers | null {
  const given = env[variable];
  if (given !== undefined && given.trim() !== '') return parsePeppers(given);
  if (getDialect(database) === 'sqlite') return null;
  throw new AppError(
    'invalid_input',
    `Set ${variable} to a secret of at least ${minLength} characters (for example the output of "openssl rand -hex 32"). ` +
      'Every instance that uses this PostgreSQL database needs the same one.',
  );
}

/**
 * Returns the pepper from the file `<database>.pepper`, and creates it when the database has no keys yet. If there are keys, a
 * missing file is an error: a new secret would silently make all of them worthless.
 */
export async function pepperBeside(database: string, db: GatewayDb): Promise<Peppers> {
  if (database === ':memory:') return [randomBytes(minLength)];
  const path = `${database}.pepper`;
  const stored = readPepper(path);
  if (stored) return [stored];
  if (await isSecretInUse(db)) throw lost(path, 'it is missing');
  return [createPepper(path)];
}

function parsePeppers(list: string): Peppers {
  const [first = '', ...more] = list.split(',');
  return [parsePepper(first), ...more.map(parsePepper)];
}

function parsePepper(given: string): Uint8Array {
  const text = given.trim();
  if (text.length < minLength) {
    throw new AppError('invalid_input', `Each secret in ${variable} must have at least ${minLength} characters.`);
  }
  return Buffer.from(text, 'utf8');
}

function readPepper(path: string): Uint8Array | null {
  try {
    const stored = readFileSync(path);
    if (stored.length >= minLength) return stored;
  } catch (error) {
    if (getCode(error) === 'ENOENT') return null;
    throw lost(path, (error as Error).message);
  }
  throw lost(path, 'it is too short');
}

/** The file is created exclusively, so two processes that start together agree on one secret, and only its owner can read it. */
function createPepper(path: string): Uint8Array {
  const created = randomBytes(minLength);
  try {
    writeFileSync(path, created, { flag: 'wx', mode: 0o600, flush: true });
    return created;
  } catch (error) {
    const existing = getCode(error) === 'EEXIST' ? readPepper(path) : null;
    if (existing) return existing;
    throw new AppError('invalid_input', `The key secret "${path}" cannot be written: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

const getCode = (error: unknown) => (error as NodeJS.ErrnoException).code;

const lost = (path: string, why: string) =>
  new AppError(
    'invalid_input',
    `The key secret "${path}" cannot be used: ${why}. Restore it from a backup, or set PORTICO_KEY_PEPPER if the server has its secret there: without it no API key and no token of this database works.`,
  );

import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { AppError } from '#shared/errors.ts';
import { dialectOf } from '../db/open.ts';

/** Secrets that API keys are hashed with: the first one signs, all of them verify. Never empty, by type. */
export type Peppers = readonly [Uint8Array, ...Uint8Array[]];

const variable = 'PORTICO_KEY_PEPPER';
const leastLength = 32;

/**
 * Reads the peppers from the environment (a comma-separated list, new one first). A SQLite file without them keeps one
 * in a file beside it; a PostgreSQL database, which several machines share, must be given one.
 */
export function loadPeppers(database: string, env: Readonly<Record<string, string | undefined>>): Peppers {
  const given = env[variable];
  if (given !== undefined && given.trim() !== '') return parsePeppers(given);
  if (dialectOf(database) === 'postgres') {
    throw new AppError(
      'invalid_input',
      `Set ${variable} to a secret of at least ${leastLength} characters (for example the output of "openssl rand -hex 32"). ` +
        'Every instance that uses this PostgreSQL database needs the same one.',
    );
  }
  return [database === ':memory:' ? randomBytes(leastLength) : pepperFile(`${database}.pepper`)];
}

function parsePeppers(list: string): Peppers {
  const [first, ...more] = list.split(',').map((text) => parsePepper(text.trim()));
  if (!first) throw weak();
  return [first, ...more];
}

function parsePepper(text: string): Uint8Array {
  if (text.length < leastLength) throw weak();
  return Buffer.from(text, 'utf8');
}

const weak = () =>
  new AppError('invalid_input', `Each secret in ${variable} must have at least ${leastLength} characters.`);

/** Created exclusively and readable by its owner only, so that two processes that start together agree on one. */
function pepperFile(path: string): Uint8Array {
  const fresh = randomBytes(leastLength);
  try {
    writeFileSync(path, fresh, { flag: 'wx', mode: 0o600, flush: true });
    return fresh;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, error);
  }
  const kept = readFileSync(path);
  if (kept.length < leastLength) throw unusable(path, 'it is too short');
  return kept;
}

const unusable = (path: string, cause: unknown) =>
  new AppError(
    'invalid_input',
    `The key secret "${path}" cannot be used (${cause instanceof Error ? cause.message : String(cause)}). ` +
      'Restore it from a backup: without it no API key of this database works.',
    { cause },
  );

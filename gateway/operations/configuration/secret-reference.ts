import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { Secret } from '../../access/auth/secret.ts';

type Env = Readonly<Record<string, string | undefined>>;

const place = {
  env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of a variable'),
  file: z.string().min(1, 'must be the path of a file'),
};

/** Where a secret is: in an environment variable or in a file. */
export const secretPlace = z.union([z.strictObject({ env: place.env }), z.strictObject({ file: place.file })], {
  error: 'must be {"env": "VARIABLE"} or {"file": "/path"}',
});

/** The place of a secret, or the secret itself. */
export const secretReference = z.union([z.string().min(1, 'must not be empty'), ...secretPlace.options], {
  error: 'must be {"env": "VARIABLE"}, {"file": "/path"} or the text itself, which must not be empty',
});

export type SecretPlace = z.infer<typeof secretPlace>;
export type SecretReference = z.infer<typeof secretReference>;

/** Reads a secret from its place. Throws `invalid_input` with the place, and never with the secret. */
export function readSecret(reference: SecretReference, where: string, env: Env): Secret {
  const fail = (why: string) => new AppError('invalid_input', `${where}: ${why}.`);
  const text = (typeof reference === 'string' ? reference : readPlace(reference, env, fail)).trim();
  if (text === '') throw fail(`${getName(reference)} is empty`);
  if (!/^[\x20-\x7e]{1,8192}$/.test(text))
    throw fail(`${getName(reference)} holds more than one line of plain characters`);
  return new Secret(text);
}

function readPlace(reference: SecretPlace, env: Env, fail: (why: string) => AppError): string {
  if ('env' in reference) {
    const text = env[reference.env];
    if (text === undefined) throw fail(`the variable ${reference.env} is not set. Set it, or name another one`);
    return text;
  }
  try {
    return readFileSync(reference.file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw fail(`the file "${reference.file}" cannot be read (${code}). Is the path right, and may this user read it?`);
  }
}

const getName = (reference: SecretReference): string => {
  if (typeof reference === 'string') return 'the text';
  return 'env' in reference ? `the variable ${reference.env}` : `the file "${reference.file}"`;
};

import { AppError } from '#shared/errors.ts';

/** The issuer and the audience of tokens: two fixed texts that all processes of a gateway must agree on. */
export interface TokenNames {
  readonly issuer: string;
  /** The API's host (gateway interface §2.5). */
  readonly audience: string;
}

export const defaultTokenNames: TokenNames = { issuer: 'portico', audience: '127.0.0.1' };

/** Returns `PORTICO_TOKEN_ISSUER` and `PORTICO_API_HOST`, or the defaults. Throws `invalid_input` for an invalid name. */
export function tokenNamesFrom(env: Readonly<Record<string, string | undefined>>): TokenNames {
  return {
    issuer: named(env, 'PORTICO_TOKEN_ISSUER') ?? defaultTokenNames.issuer,
    audience: named(env, 'PORTICO_API_HOST') ?? defaultTokenNames.audience,
  };
}

function named(env: Readonly<Record<string, string | undefined>>, variable: string): string | null {
  const text = env[variable]?.trim();
  if (!text) return null;
  if (/^[\x21-\x7e]{1,253}$/.test(text)) return text;
  throw new AppError('invalid_input', `${variable} must be 1 to 253 visible ASCII characters without spaces.`);
}

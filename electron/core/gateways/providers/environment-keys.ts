import { Secret } from '#gateway/access/auth/secret.ts';
import { toProblemText } from '#shared/language/refusals.ts';
import { getHint } from '../../storage/secrets/secret-box.ts';
import { parseBaseUrl } from '../connection/base-url.ts';
import { type Entry, nothingFurther } from './provider-entry.ts';
import { type OfferedProvider, providerList } from './provider-list.ts';
import { noSettings } from './provider-settings.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the known providers, with base URLs from the environment. */
export function getProviders(env: Env): OfferedProvider[] {
  return providerList.map((known) => {
    const given = env[known.env.baseUrl]?.trim();
    const baseUrl = given ? usable(given, known, !known.ownServer) : null;
    return baseUrl === null ? known : { ...known, baseUrl };
  });
}

function usable(address: string, { ownServer }: OfferedProvider, withKey: boolean): string | null {
  try {
    return parseBaseUrl(address, { withKey, ownServer });
  } catch {
    return null;
  }
}

/** Reads keys and servers from environment variables. A server whose address isn't allowed is listed as refused. */
export function environmentKeys(env: Env): Entry[] {
  return providerList.flatMap((known) => entryFor(known, env) ?? []);
}

function entryFor(known: OfferedProvider, env: Env): Entry | null {
  const key = env[known.env.key]?.trim();
  const given = env[known.env.baseUrl]?.trim();
  const secret = key && /^[\x21-\x7e]{8,512}$/.test(key) ? new Secret(key) : null;
  if (known.ownServer ? !given : !secret) return null;
  const address = given || known.baseUrl || '';
  const keyHint = secret && getHint(secret);
  const base = {
    id: known.id,
    keyHint,
    storage: 'environment' as const,
    checkedAt: null,
    settings: noSettings,
    ...nothingFurther,
  };
  const baseUrl = usable(address, known, secret !== null);
  if (baseUrl !== null) return { ...base, baseUrl, secret, state: 'unchecked', problem: null };
  const problem = toProblemText('variableUnused', {
    variable: known.env.baseUrl,
    keyed: known.ownServer && secret !== null,
  });
  return { ...base, baseUrl: address.slice(0, 2048), secret: null, state: 'refused', problem };
}

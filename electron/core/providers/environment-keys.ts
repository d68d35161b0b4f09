import { Secret } from '#gateway/lib/secret.ts';
import { parseBaseUrl } from '../base-url.ts';
import { hintOf } from '../secret-box.ts';
import { type KnownProvider, providerList } from './provider-list.ts';
import type { Entry } from './providers.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The providers with the addresses that the environment gives them, for keys that the user enters as well. */
export function providersOf(env: Env): KnownProvider[] {
  return providerList.map((known) => {
    const given = known.env && env[known.env.baseUrl]?.trim();
    return given && isUsable(given) ? { ...known, baseUrl: parseBaseUrl(given) } : known;
  });
}

function isUsable(address: string): boolean {
  try {
    return parseBaseUrl(address) !== '';
  } catch {
    return false;
  }
}

/** Keys of the environment the app was started with. One whose address may not be used is left out, and said so. */
export function environmentKeys(env: Env): Entry[] {
  return providerList.flatMap((known) => entryFor(known, env) ?? []);
}

function entryFor(known: KnownProvider, env: Env): Entry | null {
  const key = known.env && env[known.env.key]?.trim();
  if (!known.env || !key || !/^[\x21-\x7e]{8,512}$/.test(key)) return null;
  const secret = new Secret(key);
  const base = { id: known.id, keyHint: hintOf(secret), storage: 'environment' as const, checkedAt: null };
  const given = env[known.env.baseUrl]?.trim() || known.baseUrl || '';
  try {
    return { ...base, baseUrl: parseBaseUrl(given), secret, state: 'unchecked', message: null };
  } catch {
    const message = `${known.env.baseUrl} is not an https address, nor one of this machine: the key is not used.`;
    return { ...base, baseUrl: given.slice(0, 2048), secret: null, state: 'refused', message };
  }
}

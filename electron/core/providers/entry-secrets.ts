import { Secret } from '#gateway/auth/secret.ts';
import { mayCarrySecrets, readOnTheWay } from '#gateway/upstream/secret-address.ts';
import { toAppError } from '#shared/errors.ts';
import type { SecretBox } from '../secret-box.ts';
import type { Entry, FurtherKey } from './provider-entry.ts';
import { mainKey } from './provider-settings.ts';
import type { ProviderStore, StoredProvider } from './provider-store.ts';

/** Under which name a secret of a provider is kept. */
export const secretName = (id: string, keyId: string = mainKey): string =>
  keyId === mainKey ? `provider/${id}` : `provider/${id}/key/${keyId}`;

const headersName = (id: string) => `provider/${id}/headers`;

/** The values of its headers, all in one secret; where there are none any more it is forgotten. */
export async function keepHeaders(
  secrets: SecretBox,
  { id, headers }: Entry,
  before: Entry | undefined,
): Promise<void> {
  if (headers.size === 0) {
    if (before && before.headers.size > 0) await secrets.remove(headersName(id));
    return;
  }
  const values = Object.fromEntries([...headers].map(([name, value]) => [name, value.reveal()]));
  await secrets.set(headersName(id), new Secret(JSON.stringify(values)));
}

/** Forgets all of its secrets. Throws where the keychain does not let go of one: the provider is then still there. */
export async function forgetSecrets(secrets: SecretBox, entry: Entry): Promise<void> {
  if (entry.storage !== null) await secrets.remove(secretName(entry.id));
  for (const { id } of entry.settings.further) await secrets.remove(secretName(entry.id, id));
  if (entry.settings.headerNames.length > 0) await secrets.remove(headersName(entry.id));
}

/** Only what will still be true at the next start is written down. */
export async function remember(store: ProviderStore, entry: Entry): Promise<void> {
  if (entry.storage !== 'keychain' && entry.storage !== null) return;
  const { settings, further } = entry;
  const lasting = settings.further.filter(({ id }) => further.get(id)?.storage === 'keychain');
  await store.write({ ...entry, hasKey: entry.storage === 'keychain', settings: { ...settings, further: lasting } });
}

/** A provider of an earlier run with its secrets, or with what keeps them from being read. */
export async function loadEntry(secrets: SecretBox, stored: StoredProvider): Promise<Entry> {
  const { settings } = stored;
  const hasSecrets = stored.hasKey || settings.further.length > 0 || settings.headerNames.length > 0;
  const entry = {
    ...stored,
    storage: stored.hasKey ? ('keychain' as const) : null,
    ...{ secret: null, further: new Map<string, FurtherKey>(), headers: new Map<string, Secret>() },
  };
  if (!hasSecrets) return entry;
  if (!mayCarrySecrets(stored.baseUrl)) {
    return { ...entry, state: 'refused', message: `Its key is not sent to this address: ${readOnTheWay}` };
  }
  try {
    const secret = stored.hasKey ? await secrets.get(secretName(stored.id)) : null;
    const further = await furtherKeys(secrets, stored);
    const headers = await readHeaders(secrets, stored);
    const loaded = { ...entry, secret, further, headers };
    const isGone = (stored.hasKey && secret === null) || headers.size < settings.headerNames.length;
    if (!isGone) return loaded;
    return { ...loaded, state: 'refused', message: 'The key is not in the keychain any more. Enter it again.' };
  } catch (error) {
    return { ...entry, state: 'unchecked', message: toAppError(error).message };
  }
}

async function furtherKeys(secrets: SecretBox, { id, settings }: StoredProvider): Promise<Map<string, FurtherKey>> {
  const keys = new Map<string, FurtherKey>();
  for (const key of settings.further) {
    const secret = await secrets.get(secretName(id, key.id));
    const gone = {
      state: 'refused' as const,
      message: 'It is not in the keychain any more. Remove it and add it again.',
    };
    keys.set(key.id, { secret, storage: 'keychain', ...(secret ? { state: 'unchecked', message: null } : gone) });
  }
  return keys;
}

async function readHeaders(secrets: SecretBox, { id, settings }: StoredProvider): Promise<Map<string, Secret>> {
  const text = settings.headerNames.length > 0 ? await secrets.get(headersName(id)) : null;
  const values: Record<string, unknown> = text ? JSON.parse(text.reveal()) : {};
  return new Map(
    settings.headerNames.flatMap((name) =>
      typeof values[name] === 'string' ? [[name, new Secret(values[name])]] : [],
    ),
  );
}

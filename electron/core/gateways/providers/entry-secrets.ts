import { Secret } from '#gateway/access/auth/secret.ts';
import { mayCarrySecrets } from '#gateway/providers/upstream/dispatch-fetch.ts';
import type { SecretStorage } from '#shared/contract/common/fields.ts';
import { getProblemText, toAppError } from '#shared/errors.ts';
import { tell } from '#shared/language/refusals.ts';
import type { SecretBox } from '../../storage/secrets/secret-box.ts';
import type { Entry, FurtherKey } from './provider-entry.ts';
import { mainKey } from './provider-settings.ts';
import type { ProviderStore, StoredProvider } from './provider-store.ts';

/** The name under which a provider’s secret is stored. */
export const secretName = (id: string, keyId: string = mainKey): string =>
  keyId === mainKey ? `provider/${id}` : `provider/${id}/key/${keyId}`;

const headersName = (id: string) => `provider/${id}/headers`;
const recordName = (id: string) => `provider/${id}/record`;

/** Stores the values of its headers as one secret, or removes it when there are none. */
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

/** Removes all of its secrets. Throws if the keychain fails: the provider then stays. */
export async function forgetSecrets(secrets: SecretBox, entry: Entry): Promise<void> {
  if (entry.storage !== null) await secrets.remove(secretName(entry.id));
  for (const { id } of entry.settings.further) await secrets.remove(secretName(entry.id, id));
  if (entry.settings.headerNames.length > 0) await secrets.remove(headersName(entry.id));
  await secrets.removeForSession(recordName(entry.id));
}

/** Saves to disk only what holds for the next start; the rest is kept for this session. */
export async function remember(store: ProviderStore, secrets: SecretBox, entry: Entry): Promise<void> {
  const { settings, further, storage, secret: _secret, headers: _headers, ...kept } = entry;
  if (storage === 'environment') return;
  if ([storage, ...[...further.values()].map((key) => key.storage)].includes('session')) {
    const record: StoredProvider = { ...kept, hasKey: storage !== null, settings };
    await secrets.setForSession(recordName(entry.id), new Secret(JSON.stringify(record)));
  } else await secrets.removeForSession(recordName(entry.id));
  if (storage === 'session') return;
  const lasting = settings.further.filter(({ id }) => further.get(id)?.storage === 'keychain');
  await store.write({ ...entry, hasKey: entry.storage === 'keychain', settings: { ...settings, further: lasting } });
}

/** Providers of an earlier run, and those kept for this session by a former core. */
export function withSession(stored: readonly StoredProvider[], secrets: SecretBox): StoredProvider[] {
  const records = [...secrets.forSession()].filter(([name]) => /^provider\/[^/]+\/record$/.test(name));
  const kept = records.map(([, record]): StoredProvider => JSON.parse(record.reveal()));
  return [...stored.filter(({ id }) => !kept.some((each) => each.id === id)), ...kept];
}

/** Loads a stored provider with its secrets, or with the reason why they cannot be read. */
export async function loadEntry(secrets: SecretBox, stored: StoredProvider): Promise<Entry> {
  const { settings } = stored;
  const hasSecrets = stored.hasKey || settings.further.length > 0 || settings.headerNames.length > 0;
  const entry = {
    ...stored,
    storage: stored.hasKey ? getStorage(secrets, secretName(stored.id)) : null,
    secret: null,
    further: new Map<string, FurtherKey>(),
    headers: new Map<string, Secret>(),
  };
  if (!hasSecrets) return entry;
  if (!mayCarrySecrets(stored.baseUrl)) {
    return { ...entry, state: 'refused', problem: tell('keyKeptBack') };
  }
  try {
    const secret = stored.hasKey ? await secrets.get(secretName(stored.id)) : null;
    const further = await furtherKeys(secrets, stored);
    const headers = await readHeaders(secrets, stored);
    const loaded = { ...entry, secret, further, headers };
    const isGone = (stored.hasKey && secret === null) || headers.size < settings.headerNames.length;
    if (!isGone) return loaded;
    return { ...loaded, state: 'refused', problem: tell('keyGone') };
  } catch (error) {
    return { ...entry, state: 'unchecked', problem: getProblemText(toAppError(error)) };
  }
}

const getStorage = (secrets: SecretBox, name: string): SecretStorage =>
  secrets.forSession().has(name) ? 'session' : 'keychain';

async function furtherKeys(secrets: SecretBox, { id, settings }: StoredProvider): Promise<Map<string, FurtherKey>> {
  const keys = new Map<string, FurtherKey>();
  for (const key of settings.further) {
    const secret = await secrets.get(secretName(id, key.id));
    const gone = { state: 'refused' as const, problem: tell('furtherKeyGone') };
    keys.set(key.id, {
      secret,
      storage: getStorage(secrets, secretName(id, key.id)),
      ...(secret ? { state: 'unchecked', problem: null } : gone),
    });
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

import { Secret } from '#gateway/access/auth/secret.ts';
import { mayCarrySecrets } from '#gateway/providers/upstream/dispatch-fetch.ts';
import type { SecretStorage } from '#shared/contract/common/fields.ts';
import { getProblemText, toAppError } from '#shared/errors.ts';
import { toProblemText } from '#shared/language/refusals.ts';
import type { SecretBox } from '../../storage/secrets/secret-box.ts';
import type { Entry, FurtherKey } from './provider-entry.ts';
import { mainKey } from './provider-settings.ts';
import type { ProviderStore, StoredProvider } from './provider-store.ts';

/** Returns the name under which a provider’s secret is stored. */
export const secretName = (id: string, keyId: string = mainKey): string =>
  keyId === mainKey ? `provider/${id}` : `provider/${id}/key/${keyId}`;

const headersName = (id: string) => `provider/${id}/headers`;
const recordName = (id: string) => `provider/${id}/record`;

/** Stores the header values as one secret, or removes the secret if there are no headers. */
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

/** Removes all secrets of a provider. Throws if the keychain fails; the provider then stays. */
export async function forgetSecrets(secrets: SecretBox, entry: Entry): Promise<void> {
  if (entry.storage !== null) await secrets.remove(secretName(entry.id));
  for (const { id } of entry.settings.further) await secrets.remove(secretName(entry.id, id));
  if (entry.settings.headerNames.length > 0) await secrets.remove(headersName(entry.id));
  await secrets.removeForSession(recordName(entry.id));
}

/** Saves to disk only what stays valid for the next start. Everything else is stored for this session. */
export async function remember(store: ProviderStore, secrets: SecretBox, entry: Entry): Promise<void> {
  const { settings, further, storage, secret: _secret, headers: _headers, ...stored } = entry;
  if (storage === 'environment') return;
  if ([storage, ...[...further.values()].map((key) => key.storage)].includes('session')) {
    const record: StoredProvider = { ...stored, hasKey: storage !== null, settings };
    await secrets.setForSession(recordName(entry.id), new Secret(JSON.stringify(record)));
  } else await secrets.removeForSession(recordName(entry.id));
  if (storage === 'session') return;
  const lasting = settings.further.filter(({ id }) => further.get(id)?.storage === 'keychain');
  await store.write({ ...entry, hasKey: entry.storage === 'keychain', settings: { ...settings, further: lasting } });
}

/** Merges the providers of an earlier run with those that a previous core stored for this session. */
export function withSession(stored: readonly StoredProvider[], secrets: SecretBox): StoredProvider[] {
  const records = [...secrets.forSession()].filter(([name]) => /^provider\/[^/]+\/record$/.test(name));
  const fromSession = records.map(([, record]): StoredProvider => JSON.parse(record.reveal()));
  return [...stored.filter(({ id }) => !fromSession.some((candidate) => candidate.id === id)), ...fromSession];
}

/** Loads a stored provider with its secrets, or with the reason why they can't be read. */
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
    return { ...entry, state: 'refused', problem: toProblemText('keyKeptBack') };
  }
  try {
    const secret = stored.hasKey ? await secrets.get(secretName(stored.id)) : null;
    const further = await furtherKeys(secrets, stored);
    const headers = await readHeaders(secrets, stored);
    const loaded = { ...entry, secret, further, headers };
    const isGone = (stored.hasKey && secret === null) || headers.size < settings.headerNames.length;
    if (!isGone) return loaded;
    return { ...loaded, state: 'refused', problem: toProblemText('keyGone') };
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
    const gone = { state: 'refused' as const, problem: toProblemText('furtherKeyGone') };
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

import { Secret } from '#gateway/auth/secret.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { mayCarrySecrets, readOnTheWay } from '#gateway/upstream/secret-address.ts';
import type { SecretStorage } from '#shared/contract/fields.ts';
import type { LocalServer, Provider, ProviderId } from '#shared/contract/providers.ts';
import { AppError, type ErrorCode, toAppError } from '#shared/errors.ts';
import { parseBaseUrl } from '../base-url.ts';
import type { Changes } from '../changes.ts';
import { hintOf, type SecretBox } from '../secret-box.ts';
import type { OfferedProvider } from './provider-list.ts';
import type { CheckState, ProviderStore, StoredProvider } from './provider-store.ts';

/** A provider that is set up. `secret: null`: it wants no key, or its key cannot be read now. */
export interface Entry {
  readonly id: ProviderId;
  readonly baseUrl: string;
  readonly keyHint: string | null;
  readonly storage: SecretStorage | null;
  readonly secret: Secret | null;
  readonly state: CheckState;
  readonly message: string | null;
  readonly checkedAt: number | null;
}

export interface ProvidersDeps {
  readonly gateway: Pick<Gateway, 'setProvider' | 'checkProvider'>;
  /** Asks the usual ports of this machine for servers of one's own. */
  readonly findServers: () => Promise<LocalServer[]>;
  readonly store: ProviderStore;
  readonly secrets: SecretBox;
  readonly changes: Changes;
  readonly known: readonly OfferedProvider[];
  /** Keys of the environment: used unless the user has set another. */
  readonly environment: readonly Entry[];
  readonly now: () => number;
}

interface SetKey {
  readonly id: ProviderId;
  readonly key?: string | null | undefined;
  readonly baseUrl?: string | null | undefined;
}

const checkMs = 15_000;
const secretName = (id: ProviderId) => `provider/${id}`;

/** The user's own keys. They go in and are never given out again; only their first and last characters are. */
export function providersFeature(deps: ProvidersDeps) {
  const { gateway, store, secrets, changes, known, environment } = deps;
  const entries = entriesInUse(gateway);
  /** What the user has set in this session: reading the keychain late must not undo it. */
  const touched = new Set<ProviderId>();
  const loaded = Promise.withResolvers<void>();

  function changed(id: ProviderId): Provider {
    changes.emit('providers', 'models', 'account');
    return shown(id);
  }

  /** A state that was restored names another address than the key was entered for: the key does not go there. */
  async function keepKeyFrom(stored: StoredProvider, before: Entry | undefined): Promise<void> {
    if (!before?.secret || !stored.hasKey || originOf(before.baseUrl) === originOf(stored.baseUrl)) return;
    touched.delete(stored.id);
    await secrets.remove(secretName(stored.id));
  }

  const shown = (id: ProviderId) => toProvider(knownIn(known, id), entries.get(id));

  return {
    async list(): Promise<Provider[]> {
      await loaded.promise;
      return known.map(({ id }) => shown(id));
    },

    async setKey(input: SetKey): Promise<Provider> {
      await loaded.promise;
      const wanted = wantedEntry(input, knownIn(known, input.id), entries.get(input.id));
      const entry = await check(deps, wanted);
      if (entry.state === 'refused') {
        throw new AppError('upstream_auth_failed', entry.message ?? 'The provider refused the key.', {
          provider: entry.id,
        });
      }
      const storage = entry.secret ? await secrets.set(secretName(entry.id), entry.secret) : null;
      const kept = { ...entry, storage };
      await remember(store, kept);
      touched.add(entry.id);
      entries.use(entry.id, kept);
      return changed(entry.id);
    },

    async check({ id }: { id: ProviderId }): Promise<Provider> {
      await loaded.promise;
      const entry = entries.get(id);
      if (!entry) return shown(id);
      const secret = entry.secret ?? (entry.storage === 'keychain' ? await secrets.get(secretName(id)) : null);
      const checked = await check(deps, { ...entry, secret });
      await remember(store, checked);
      entries.use(id, checked);
      return changed(id);
    },

    discover: (): Promise<LocalServer[]> => deps.findServers(),

    /** Forgets the user's key; one of the environment takes its place where there is one. */
    async removeKey({ id }: { id: ProviderId }): Promise<Provider> {
      await loaded.promise;
      const entry = entries.get(id);
      if (entry && entry.storage !== 'environment') {
        if (entry.storage !== null) await secrets.remove(secretName(id));
        await store.forget(id);
        entries.use(id, environment.find((each) => each.id === id) ?? null);
      } else if (entry) entries.use(id, null);
      touched.add(id);
      return changed(id);
    },

    /** Whether a provider can answer with the user's own key. Waits until it is known. */
    async hasProvider(): Promise<boolean> {
      await loaded.promise;
      return entries.anyUsable();
    },

    /** Takes up what is known: first the environment's keys, then the user's own, as the keychain gives them. */
    async load(): Promise<void> {
      try {
        const stored = await store.all();
        const free = environment.filter(({ id }) => !stored.some((each) => each.id === id));
        for (const entry of free) if (!touched.has(entry.id)) entries.use(entry.id, entry);
        for (const each of stored) {
          await keepKeyFrom(each, entries.get(each.id));
          const entry = await loadEntry(secrets, each);
          if (!touched.has(entry.id)) entries.use(entry.id, entry);
        }
      } finally {
        loaded.resolve();
      }
      changes.emit('providers', 'models', 'account');
    },
  };
}

/**
 * What the user asks for, checked. A key is bound to the address it was entered for: an address of another origin needs
 * the key again, so that nobody can have a stored key sent elsewhere.
 */
function wantedEntry(input: SetKey, known: OfferedProvider, before: Entry | undefined): Entry {
  const address = input.baseUrl ?? before?.baseUrl ?? known.baseUrl;
  if (!address)
    throw new AppError('invalid_input', "baseUrl: the server's address is needed.", { details: { param: 'baseUrl' } });
  const sameOrigin = before !== undefined && originOf(before.baseUrl) === originOf(address);
  const secret = input.key ? new Secret(input.key) : sameOrigin ? before.secret : null;
  const baseUrl = parseBaseUrl(address, { withKey: secret !== null, ownServer: known.ownServer });
  if (!secret && !known.ownServer) {
    const why = before?.secret
      ? 'a key is sent only to the address it was entered for. Enter it again'
      : 'a key is needed';
    throw new AppError('invalid_input', `key: ${why}.`, { details: { param: 'key' } });
  }
  const keyHint = secret ? hintOf(secret) : null;
  return { id: input.id, baseUrl, secret, keyHint, storage: null, state: 'unchecked', message: null, checkedAt: null };
}

const originOf = (text: string) => (URL.canParse(text) ? new URL(text).origin : null);

function checkFailure(error: unknown): AppError {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new AppError('upstream_unreachable', 'The provider did not answer in time.', { cause: error });
  }
  return toAppError(error);
}

/** The providers that are set up, and the gateway told of each of them. */
function entriesInUse(gateway: Pick<Gateway, 'setProvider'>) {
  const entries = new Map<ProviderId, Entry>();
  const isSafe = (entry: Entry) => entry.secret === null || mayCarrySecrets(entry.baseUrl);
  const usable = (entry: Entry) =>
    (entry.secret !== null && isSafe(entry)) ||
    entry.storage === null ||
    (entry.keyHint === null && entry.state !== 'refused');
  return {
    get: (id: ProviderId) => entries.get(id),
    anyUsable: () => [...entries.values()].some(usable),
    /** It takes effect: the gateway uses it from now on, or no longer. */
    use(id: ProviderId, entry: Entry | null): void {
      if (entry) entries.set(id, entry);
      else entries.delete(id);
      gateway.setProvider(id, entry && usable(entry) ? { apiKey: entry.secret, baseUrl: entry.baseUrl } : null);
    },
  };
}

function knownIn(all: readonly OfferedProvider[], id: ProviderId): OfferedProvider {
  const known = all.find((provider) => provider.id === id);
  if (!known) throw new RangeError(`there is no provider "${id}"`);
  return known;
}

/** What the renderer may know of it. */
function toProvider({ id, name, keyPage, ownServer, baseUrl }: OfferedProvider, entry: Entry | undefined): Provider {
  if (!entry) {
    return {
      id,
      name,
      keyPage,
      ownServer,
      baseUrl,
      state: 'not_set',
      keyHint: null,
      storage: null,
      message: null,
      checkedAt: null,
    };
  }
  const { state, keyHint, storage, message, checkedAt } = entry;
  return { id, name, keyPage, ownServer, baseUrl: entry.baseUrl, state, keyHint, storage, message, checkedAt };
}

/** Only what will still be true at the next start is written down. */
async function remember(store: ProviderStore, entry: Entry): Promise<void> {
  if (entry.storage !== 'keychain' && entry.storage !== null) return;
  await store.write({ ...entry, hasKey: entry.storage === 'keychain' });
}

/** Asks the provider whether the credential works, by a free call. */
async function check({ gateway, now }: ProvidersDeps, entry: Entry): Promise<Entry> {
  const checked = { ...entry, checkedAt: now() };
  try {
    if (entry.secret) parseBaseUrl(entry.baseUrl, { withKey: true });
    const credential = { apiKey: entry.secret, baseUrl: entry.baseUrl };
    await gateway.checkProvider(entry.id, credential, AbortSignal.timeout(checkMs));
    return { ...checked, state: 'works', message: null };
  } catch (error) {
    const failure = checkFailure(error);
    return { ...checked, state: stateAfter(failure.code), message: failure.message };
  }
}

function stateAfter(code: ErrorCode): 'refused' | 'unchecked' | 'unreachable' {
  if (code === 'upstream_auth_failed') return 'refused';
  return code === 'upstream_rate_limited' ? 'unchecked' : 'unreachable';
}

/** A provider of an earlier run with its key, or with what keeps the key from being read. */
async function loadEntry(secrets: SecretBox, stored: StoredProvider): Promise<Entry> {
  const entry = { ...stored, storage: stored.hasKey ? ('keychain' as const) : null };
  if (!stored.hasKey) return { ...entry, secret: null };
  if (!mayCarrySecrets(stored.baseUrl)) {
    return {
      ...entry,
      secret: null,
      state: 'refused',
      message: `Its key is not sent to this address: ${readOnTheWay}`,
    };
  }
  try {
    const secret = await secrets.get(secretName(stored.id));
    if (secret) return { ...entry, secret };
    const message = 'The key is not in the keychain any more. Enter it again.';
    return { ...entry, secret: null, state: 'refused', message };
  } catch (error) {
    return { ...entry, secret: null, state: 'unchecked', message: toAppError(error).message };
  }
}

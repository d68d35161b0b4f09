import { z } from 'zod';
import { Secret } from '#gateway/access/auth/secret.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { getReason } from '#gateway/providers/upstream/upstream-error.ts';
import {
  type LocalServer,
  type Provider,
  type SavedServer,
  type ServerModel,
  serverModel,
} from '#shared/contract/app/providers.ts';
import { AppError, type ErrorCode, getProblemText, type ProblemText, toAppError } from '#shared/errors.ts';
import { knownProvider } from '#shared/known-providers.ts';
import { refusal, toProblemText } from '#shared/language/refusals.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { getHint, type SecretBox } from '../../storage/secrets/secret-box.ts';
import { parseBaseUrl } from '../connection/base-url.ts';
import { quoteGateway, withNames } from '../connection/gateway-errors.ts';
import { forgetSecrets, keepHeaders, loadEntry, remember, secretName, withSession } from './entry-secrets.ts';
import {
  credentialWith,
  type Entry,
  type FurtherKey,
  getCredential,
  getKeys,
  getName,
  isUsable,
  offeredServer,
  toProvider,
} from './provider-entry.ts';
import type { OfferedProvider } from './provider-list.ts';
import { mainKey } from './provider-settings.ts';
import { type CheckState, providerStore, type StoredProvider } from './provider-store.ts';
import { getOrigin, namedModels, type SetKey, serverIdFor, wantedEntry, wantedServer } from './wanted-entry.ts';

const maxKeys = 16;

const forParam = (param: string) => ({ details: { param } });

/** Returns the provider with an additional key at the end, not saved yet. */
function withFurtherKey(
  entry: Entry,
  { id: keyId, label, key }: { readonly id: string; readonly label: string; readonly key: string },
): { entry: Entry; keyId: string; secret: Secret } {
  const keys = getKeys(entry);
  if (entry.storage === 'environment' || keys.length === 0)
    throw refusal('invalid_input', 'firstKeyFirst', forParam('key'));
  if (keys.length >= maxKeys) throw refusal('invalid_input', 'tooManyKeys', { most: maxKeys }, forParam('key'));
  if (keys.some((candidate) => candidate.label === label))
    throw refusal('invalid_input', 'labelTaken', forParam('label'));
  const secret = new Secret(key);
  if (keys.some((candidate) => candidate.secret?.reveal() === key))
    throw refusal('invalid_input', 'keyTwice', forParam('key'));
  const settings = {
    ...entry.settings,
    further: [...entry.settings.further, { id: keyId, label, hint: getHint(secret) }],
    order: [...keys.map(({ id }) => id), keyId],
  };
  const further = new Map(entry.further).set(keyId, { secret, storage: 'session', state: 'unchecked', problem: null });
  return { entry: { ...entry, settings, further }, keyId, secret };
}

/** Returns the provider with its keys in another order. */
function inOrder(entry: Entry, keyIds: readonly string[]): Entry {
  const known = getKeys(entry).map(({ id }) => id);
  if (keyIds.length !== known.length || !known.every((id) => keyIds.includes(id)))
    throw refusal('invalid_input', 'eachKeyOnce', forParam('keyIds'));
  return { ...entry, settings: { ...entry.settings, order: [...keyIds] } };
}

/** Removes one key from a provider. If it is the main one, the next key takes its place in the keychain first. */
async function withoutOneKey(secrets: SecretBox, entry: Entry, keyId: string): Promise<Entry> {
  if (!getKeys(entry).some(({ id }) => id === keyId)) throw refusal('invalid_input', 'noSuchKey', forParam('keyId'));
  if (keyId !== mainKey) {
    await secrets.remove(secretName(entry.id, keyId));
    return withoutFurther(entry, keyId);
  }
  const next = getKeys(entry).find(({ id, secret }) => id !== mainKey && secret !== null);
  if (!next?.secret) throw refusal('invalid_input', 'otherKeysUnread', forParam('keyId'));
  const storage = await secrets.set(secretName(entry.id), next.secret);
  await secrets.remove(secretName(entry.id, next.id));
  const order = entry.settings.order.filter((id) => id !== mainKey).map((id) => (id === next.id ? mainKey : id));
  const { state, problem, label, hint, secret } = next;
  const promoted = withoutFurther(entry, next.id);
  return {
    ...promoted,
    secret,
    storage,
    state,
    problem,
    keyHint: hint,
    settings: { ...promoted.settings, order, mainLabel: label },
  };
}

function withoutFurther(entry: Entry, keyId: string): Entry {
  const { settings } = entry;
  const further = new Map(entry.further);
  further.delete(keyId);
  return {
    ...entry,
    further,
    settings: {
      ...settings,
      further: settings.further.filter(({ id }) => id !== keyId),
      order: settings.order.filter((id) => id !== keyId),
    },
  };
}

const checkMs = 15_000;

interface CheckDeps {
  readonly gateway: Pick<Gateway, 'checkProvider'>;
  readonly now: () => number;
}

/** Checks the first key by a free request to the provider. */
async function checkEntry({ gateway, now }: CheckDeps, entry: Entry): Promise<Entry> {
  return { ...entry, checkedAt: now(), ...(await checkSecret(gateway, entry, entry.secret)) };
}

async function checkAll(deps: CheckDeps, entry: Entry): Promise<Entry> {
  const checked = await checkEntry(deps, entry);
  const further = new Map<string, FurtherKey>();
  for (const [id, key] of entry.further) {
    further.set(id, key.secret ? { ...key, ...(await checkSecret(deps.gateway, entry, key.secret)) } : key);
  }
  return { ...checked, further };
}

async function checkSecret(
  gateway: CheckDeps['gateway'],
  entry: Entry,
  secret: Entry['secret'],
): Promise<{ state: CheckState; problem: ProblemText | null }> {
  try {
    if (secret || entry.headers.size > 0) parseBaseUrl(entry.baseUrl, { withKey: true });
    await gateway.checkProvider(entry.id, credentialWith(entry, secret), AbortSignal.timeout(checkMs));
    return { state: 'works', problem: null };
  } catch (error) {
    const failure = checkFailure(error);
    const reason = getReason(failure);
    if (reason === 'no_model_list') return { state: 'works', problem: toProblemText('serverWithoutList') };
    if (reason === 'no_models_listed') return { state: 'works', problem: toProblemText('serverListEmpty') };
    return { state: stateAfter(failure.code), problem: getProblem(failure, entry) };
  }
}

function checkFailure(error: unknown): AppError {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return refusal('upstream_unreachable', 'providerSlow', { cause: error });
  }
  return toAppError(error);
}

/** Returns the problem in the words of the built-in gateway or the provider. */
function getProblem(failure: AppError, { id, settings }: Entry): ProblemText {
  if (failure.refusal) return getProblemText(failure);
  const naming = { modelFacts: () => null, providerName: () => getName(id, settings) };
  return quoteGateway(failure.code, withNames(failure.message, id, naming));
}

function stateAfter(code: ErrorCode): 'refused' | 'unchecked' | 'unreachable' {
  if (code === 'upstream_auth_failed') return 'refused';
  return code === 'upstream_rate_limited' ? 'unchecked' : 'unreachable';
}

/** Throws `upstream_auth_failed` if the provider refused the key, because a refused key is never saved. */
function requireNotRefused({ state, problem }: Pick<Entry, 'state' | 'problem'>, provider: string): void {
  if (state !== 'refused') return;
  const { message, refusal } = problem ?? toProblemText('keyRefused');
  throw new AppError('upstream_auth_failed', message, { provider, refusal });
}

export interface ProvidersDeps extends CoreContext {
  readonly gateway: Pick<Gateway, 'setProvider' | 'checkProvider' | 'keyStates' | 'refreshModels'>;
  /** Probes the usual ports of this machine for model servers. */
  readonly findServers: () => Promise<LocalServer[]>;
  readonly secrets: SecretBox;
  readonly known: readonly OfferedProvider[];
  /** Keys from environment variables, used unless the user has set another. */
  readonly environment: readonly Entry[];
}

const maxProviders = 200;
const namedSetting = 'providers.models';
const storedNames = z.record(z.string(), z.array(serverModel));

/** Manages the user’s own provider keys. They are never returned, except for their first and last characters. */
export function providersFeature(deps: ProvidersDeps) {
  const { gateway, secrets, changes, known, environment } = deps;
  const store = providerStore(deps.db);
  /** Models that the user added to known providers, by provider id. */
  let named: Readonly<Record<string, readonly ServerModel[]>> = {};
  const entries = entriesInUse(gateway, (entry) =>
    entry.settings.server ? entry : { ...entry, settings: { ...entry.settings, models: [...(named[entry.id] ?? [])] } },
  );
  /** Providers changed in this session. A later read of the keychain must not undo those changes. */
  const touched = new Set<string>();
  const loaded = Promise.withResolvers<void>();

  function offered(id: string): OfferedProvider {
    const entry = entries.get(id);
    const found = known.find((provider) => provider.id === id) ?? (entry && offeredServer(id, entry.settings));
    if (!found) throw refusal('not_found', 'noSuchProvider', { id });
    return found;
  }

  function toEntry(id: string): Entry {
    const entry = entries.get(id);
    if (!entry) throw refusal('not_found', 'providerNotSetUp', { id });
    return entry;
  }

  const shown = (id: string) => toProvider(offered(id), entries.get(id), gateway.keyStates(id));

  function all(): Provider[] {
    const named = [...entries.all()].filter(({ settings }) => settings.server !== null);
    const byName = named.toSorted((a, b) =>
      (a.settings.server?.name ?? '').localeCompare(b.settings.server?.name ?? ''),
    );
    return [...known, ...byName].map(({ id }) => shown(id));
  }

  const changed = () => changes.emit('providers', 'models', 'account');

  /** Resolves when the models are listed. If that fails, the gateway retries and reports it. */
  const listed = (id: string): Promise<void> =>
    gateway.refreshModels(id).then(
      () => changes.emit('models'),
      () => {},
    );

  /** Saves the provider and applies it. */
  async function keep(entry: Entry): Promise<Provider> {
    await remember(store, secrets, entry);
    touched.add(entry.id);
    entries.use(entry.id, entry);
    changed();
    if (entry.state === 'works') await listed(entry.id);
    return shown(entry.id);
  }

  /** Removes the secrets if a restored database names another address than they were entered for. */
  async function keepSecretsFrom(stored: StoredProvider, before: Entry | undefined): Promise<void> {
    if (!before || getKeys(before).length + before.headers.size === 0) return;
    if (getOrigin(before.baseUrl) === getOrigin(stored.baseUrl)) return;
    touched.delete(stored.id);
    await forgetSecrets(secrets, before);
  }

  async function keepChecked(wanted: Entry): Promise<Provider> {
    const entry = await checkEntry(deps, wanted);
    requireNotRefused(entry, entry.id);
    const storage = entry.secret ? await secrets.set(secretName(entry.id), entry.secret) : null;
    return keep({ ...entry, storage });
  }

  return {
    async list(): Promise<Provider[]> {
      await loaded.promise;
      return all();
    },

    async setKey(input: SetKey): Promise<Provider> {
      await loaded.promise;
      return keepChecked(wantedEntry(input, offered(input.id), entries.get(input.id)));
    },

    async saveServer(input: SavedServer): Promise<Provider> {
      await loaded.promise;
      const before = input.id === null ? undefined : toEntry(input.id);
      if (before && !before.settings.server) throw refusal('invalid_input', 'providerNamed');
      if (!before && entries.count() >= maxProviders) throw refusal('invalid_input', 'tooManyProviders');
      const id = before?.id ?? serverIdFor(input.name, (taken) => entries.get(taken) !== undefined);
      const wanted = wantedServer(input, id, before, new Date(deps.now()).toISOString().slice(0, 10));
      const checked = await checkEntry(deps, wanted);
      requireNotRefused(checked, input.name);
      await keepHeaders(secrets, wanted, before);
      const storage = checked.secret ? await secrets.set(secretName(id), checked.secret) : null;
      return keep({ ...checked, storage });
    },

    async addKey({ id, label, key }: { id: string; label: string; key: string }): Promise<Provider> {
      await loaded.promise;
      const { entry, keyId, secret } = withFurtherKey(toEntry(id), { id: deps.newId(), label, key });
      const checked = await checkSecret(gateway, entry, secret);
      requireNotRefused(checked, id);
      const storage = await secrets.set(secretName(id, keyId), secret);
      const further = new Map(entry.further).set(keyId, { secret, storage, ...checked });
      return keep({ ...entry, further });
    },

    async orderKeys({ id, keyIds }: { id: string; keyIds: string[] }): Promise<Provider> {
      await loaded.promise;
      return keep(inOrder(toEntry(id), keyIds));
    },

    async nameModels({ id, models }: { id: string; models: readonly ServerModel[] }): Promise<Provider> {
      await loaded.promise;
      const entry = toEntry(id);
      if (entry.settings.server) throw refusal('invalid_input', 'serverNamed');
      const wanted = namedModels(models, named[id] ?? [], new Date(deps.now()).toISOString().slice(0, 10));
      const next = { ...named, [id]: wanted };
      await deps.settings.write(namedSetting, next);
      named = next;
      entries.use(id, entry);
      changed();
      return shown(id);
    },

    async check({ id }: { id: string }): Promise<Provider> {
      await loaded.promise;
      const entry = entries.get(id);
      if (!entry) return shown(id);
      const secret = entry.secret ?? (entry.storage === 'keychain' ? await secrets.get(secretName(id)) : null);
      const checked = await checkAll(deps, { ...entry, secret });
      await remember(store, secrets, checked);
      entries.use(id, checked);
      changed();
      if (checked.state === 'works') await listed(id);
      return shown(id);
    },

    discover: (): Promise<LocalServer[]> => deps.findServers(),

    /** Removes one key, or all. A key from the environment then takes their place, if there is one. */
    async removeKey({ id, keyId }: { id: string; keyId?: string | null | undefined }): Promise<Provider | null> {
      await loaded.promise;
      const entry = entries.get(id);
      if (entry && keyId && (keyId !== mainKey || entry.further.size > 0)) {
        return keep(await withoutOneKey(secrets, entry, keyId));
      }
      if (entry && entry.storage !== 'environment') {
        await forgetSecrets(secrets, entry);
        await store.forget(id);
        entries.use(id, environment.find((candidate) => candidate.id === id) ?? null);
      } else if (entry) entries.use(id, null);
      touched.add(id);
      changed();
      return known.some((provider) => provider.id === id) ? shown(id) : null;
    },

    getName: (id: string): string => getName(id, entries.get(id)?.settings),

    /** True if a provider can answer with the user’s own key. Waits until the keys are loaded. */
    async hasProvider(): Promise<boolean> {
      await loaded.promise;
      return [...entries.all()].some(isUsable);
    },

    /** Returns the first key of a known provider at its usual address. Null: there is none. */
    ownKey(id: string): Secret | null {
      const entry = entries.get(id);
      const provider = knownProvider(id);
      if (!entry || !provider || provider.ownServer || provider.baseUrl !== entry.baseUrl) return null;
      return isUsable(entry) ? getCredential(entry).apiKey : null;
    },

    /** Loads keys, first from the environment, then the user’s own as the keychain returns them. */
    async load(): Promise<void> {
      try {
        const names = storedNames.safeParse((await deps.settings.read(namedSetting)) ?? {});
        named = names.success ? names.data : {};
        const rows = await store.all();
        for (const row of rows) await keepSecretsFrom(row, entries.get(row.id));
        const stored = withSession(rows, secrets);
        const free = environment.filter(({ id }) => !stored.some((candidate) => candidate.id === id));
        for (const entry of free) if (!touched.has(entry.id)) entries.use(entry.id, entry);
        for (const provider of stored) {
          const entry = await loadEntry(secrets, provider);
          if (!touched.has(entry.id)) entries.use(entry.id, entry);
        }
      } finally {
        loaded.resolve();
      }
      changed();
    },
  };
}

/** The configured providers, each also registered with the gateway. */
function entriesInUse(gateway: Pick<Gateway, 'setProvider'>, complete: (entry: Entry) => Entry) {
  const entries = new Map<string, Entry>();
  const inGateway = new Set<string>();
  return {
    get: (id: string) => entries.get(id),
    all: () => entries.values(),
    count: () => entries.size,
    /** Registers the provider with the gateway, or removes it. */
    use(id: string, given: Entry | null): void {
      const entry = given && complete(given);
      const isNamed = (entry ?? entries.get(id))?.settings.server !== null;
      if (entry) entries.set(id, entry);
      else entries.delete(id);
      const usable = entry !== null && isUsable(entry);
      // The gateway knows the user’s own servers only while they are in use.
      if (usable || !isNamed || inGateway.has(id)) gateway.setProvider(id, usable ? getCredential(entry) : null);
      if (usable) inGateway.add(id);
      else inGateway.delete(id);
    },
  };
}

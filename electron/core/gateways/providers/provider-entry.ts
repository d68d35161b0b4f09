import type { Secret } from '#gateway/access/auth/secret.ts';
import type { Gateway } from '#gateway/gateway.ts';
import type { ProviderKey as CredentialKey, ProviderCredential } from '#gateway/providers/provider.ts';
import { mayCarrySecrets } from '#gateway/providers/upstream/dispatch-fetch.ts';
import type { Provider, ProviderKey } from '#shared/contract/app/providers.ts';
import type { SecretStorage } from '#shared/contract/common/fields.ts';
import type { ProblemText } from '#shared/errors.ts';
import { knownProviderName } from '#shared/known-providers.ts';
import type { OfferedProvider } from './provider-list.ts';
import { mainKey, type ProviderSettings } from './provider-settings.ts';
import type { CheckState } from './provider-store.ts';

/** An additional key. `secret` is null if it can't be read now. */
export interface FurtherKey {
  readonly secret: Secret | null;
  readonly storage: SecretStorage;
  readonly state: CheckState;
  readonly problem: ProblemText | null;
}

/** A configured provider. `secret` is null if it needs no key, or its key can't be read now. */
export interface Entry {
  readonly id: string;
  readonly baseUrl: string;
  readonly keyHint: string | null;
  readonly storage: SecretStorage | null;
  readonly secret: Secret | null;
  readonly state: CheckState;
  readonly problem: ProblemText | null;
  readonly checkedAt: number | null;
  readonly settings: ProviderSettings;
  /** Additional keys by their ids. */
  readonly further: ReadonlyMap<string, FurtherKey>;
  readonly headers: ReadonlyMap<string, Secret>;
}

export const nothingFurther = { further: new Map<string, FurtherKey>(), headers: new Map<string, Secret>() } as const;

const hasSecrets = ({ secret, further, headers }: Entry) => secret !== null || further.size > 0 || headers.size > 0;

/** True if the provider can answer: its keys are readable and allowed for its address. */
export function isUsable(entry: Entry): boolean {
  if (entry.headers.size < entry.settings.headerNames.length) return false;
  if (hasSecrets(entry) && !mayCarrySecrets(entry.baseUrl)) return false;
  return (
    getKeys(entry).some(({ secret }) => secret !== null) ||
    entry.storage === null ||
    (entry.keyHint === null && entry.state !== 'refused')
  );
}

interface OrderedKey extends Omit<ProviderKey, 'state'> {
  readonly state: CheckState;
  readonly secret: Secret | null;
}

/** Returns all keys in the order in which they are tried. */
export function getKeys(entry: Entry): OrderedKey[] {
  const { settings, keyHint, secret, storage, state, problem } = entry;
  const own: OrderedKey[] = [
    ...(keyHint === null
      ? []
      : [{ id: mainKey, label: settings.mainLabel, hint: keyHint, secret, storage, state, problem }]),
    ...settings.further.flatMap(({ id, label, hint }) => {
      const key = entry.further.get(id);
      return key ? [{ id, label, hint, ...key }] : [];
    }),
  ];
  const position = ({ id }: OrderedKey) => (settings.order.includes(id) ? settings.order.indexOf(id) : own.length);
  return own.toSorted((a, b) => position(a) - position(b));
}

/** Builds the credential for the gateway. */
export function getCredential(entry: Entry): ProviderCredential {
  const { settings, headers } = entry;
  const keys = getKeys(entry).flatMap(({ label, secret }): CredentialKey[] => (secret ? [{ label, secret }] : []));
  const { server } = settings;
  return {
    apiKey: keys[0]?.secret ?? null,
    baseUrl: entry.baseUrl,
    ...(keys.length > 1 ? { keys } : {}),
    ...(headers.size > 0 ? { headers } : {}),
    ...(server ? { server } : {}),
    ...(settings.timeoutSeconds === null ? {} : { timeoutMs: settings.timeoutSeconds * 1_000 }),
    ...(settings.models.length > 0 ? { models: settings.models.map(declared) } : {}),
  };
}

const declared = ({ model, sameAs, input, output, cached, pricedOn }: ProviderSettings['models'][number]) => ({
  model,
  sameAs,
  price: input === null || output === null ? null : { input, output, cache_read: cached, cache_write: null, tiers: [] },
  ...(pricedOn === null ? {} : { priceAsOf: pricedOn }),
});

/** Builds the credential with only this key. */
export const credentialWith = (entry: Entry, secret: Secret | null): ProviderCredential => {
  const { keys: _keys, ...credential } = getCredential(entry);
  return { ...credential, apiKey: secret };
};

/** Returns the name that the user gave it. A provider that doesn't exist (any more) is named by its id. */
export const getName = (id: string, settings: ProviderSettings | undefined): string =>
  settings?.server?.name ?? knownProviderName(id);

/** The list entry of the user’s own server. */
export const offeredServer = (id: string, { server }: ProviderSettings): OfferedProvider | null =>
  server && {
    id,
    name: server.name,
    baseUrl: null,
    keyPage: null,
    ownServer: server.kind !== 'azure-openai',
    env: { key: '', baseUrl: '' },
  };

/** Builds the provider as the renderer gets it, without secrets. */
export function toProvider(
  { id, name, keyPage, ownServer, baseUrl: usual }: OfferedProvider,
  entry: Entry | undefined,
  live: ReturnType<Gateway['keyStates']>,
): Provider {
  const base = { id, name, keyPage, ownServer };
  if (!entry) {
    return {
      ...base,
      baseUrl: usual,
      movedFrom: null,
      state: 'not_set',
      keyHint: null,
      storage: null,
      problem: null,
      checkedAt: null,
      keys: [],
      server: null,
    };
  }
  const { state, keyHint, storage, problem, checkedAt, baseUrl, settings } = entry;
  const { server, models, headerNames, timeoutSeconds } = settings;
  return {
    ...base,
    baseUrl,
    state,
    keyHint,
    storage,
    problem,
    checkedAt,
    movedFrom: usual !== null && !ownServer && usual !== baseUrl ? usual : null,
    keys: getKeys(entry).map((key) => shownKey(key, live)),
    ...(server === null && models.length > 0 ? { models } : {}),
    server: server && { kind: server.kind, apiVersion: server.apiVersion, models, headerNames, timeoutSeconds },
  };
}

/** The gateway’s key state comes from actual use, so it is newer than the last check. */
function shownKey({ secret: _secret, ...key }: OrderedKey, live: ReturnType<Gateway['keyStates']>): ProviderKey {
  const found = live.find(({ label }) => label === key.label);
  return found === undefined || found.state === 'ready' ? key : { ...key, state: found.state };
}

import { knownProvider, knownProviders } from '#shared/known-providers.ts';
import { isServerId } from '#shared/server-kinds.ts';
import type { CatalogueModel } from '../models/catalogue/catalogue.ts';
import { createAnthropic } from './anthropic/anthropic.ts';
import { createAzureOpenAi } from './azure-openai/azure-openai.ts';
import { createGoogle } from './google/google.ts';
import { createKeyOrder, type KeyOrder } from './key-order.ts';
import { createModelLists } from './model-lists.ts';
import { createOpenAi } from './openai/openai.ts';
import { getDialect } from './openai-compatible/dialects.ts';
import { createOpenAiCompatible } from './openai-compatible/openai-compatible.ts';
import type { NamedServer, Provider, ProviderCredential } from './provider.ts';
import { withHeaders, withoutAddresses, withoutKey } from './provider-guards.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import { sandboxModels } from './sandbox/sandbox-models.ts';
import { sandboxEmbedding } from './sandbox/sandbox-vectors.ts';
import type { Download } from './upstream/fetched-files.ts';
import type { UpstreamFetch } from './upstream/upstream-response.ts';

/** Where a provider is reached unless its credential says otherwise; undefined where only its owner knows. */
export const defaultBaseUrl = (id: string): string | undefined => knownProvider(id)?.baseUrl ?? undefined;

/** Where a caller's own key may be sent without the operator having said so: never to a port of this machine. */
export const hostedBaseUrl = (id: string): string | undefined =>
  knownProvider(id)?.ownServer ? undefined : defaultBaseUrl(id);

interface Registered {
  readonly provider: Provider;
  /** Null: the provider is known but no key was given. */
  readonly credential: ProviderCredential | null;
}

export interface Registry {
  get(id: string): Registered | null;
  /**
   * Gives a provider its credential, replaces it, or takes it away. One that names a server makes a provider of it, for as
   * long as it has the credential. An unknown id throws a `RangeError`.
   */
  set(id: string, credential: ProviderCredential | null): void;
  /** Who would be asked with this credential; null where nobody. */
  providerFor(id: string, credential: ProviderCredential): Provider | null;
  /** How several keys of a provider do. */
  readonly keys: Pick<KeyOrder, 'getStates' | 'cleared'>;
  /** Ids with a credential. */
  configured(): readonly string[];
  /** All known providers, in order of priority. */
  all(): readonly Provider[];
  /** Their ids. */
  readonly ids: readonly string[];
  /** Models that no price book lists: the sandbox's, and those that providers name themselves. */
  models(): readonly CatalogueModel[];
  /** A model that nobody lists, of the vendor that its name shows; null where it shows none (`model-lists.ts`). */
  unlisted(provider: string | null, model: string): CatalogueModel | null;
  /** Somebody looks at the list of models: vendors of the price book are asked for theirs, and waited for a moment. */
  look(): Promise<void>;
  /** Nobody can tell what an answer of it costs: a vendor's model without a price. Servers of one's own bill nothing. */
  lacksPrice(model: CatalogueModel): boolean;
  /** Asks a provider for its models again. Throws an `AppError` with an upstream code. */
  refresh(id: string, signal?: AbortSignal): Promise<void>;
}

interface RegistryOptions {
  readonly fetch: UpstreamFetch;
  readonly sandbox: boolean;
  readonly sandboxPace: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Fetches images for providers that cannot or may not; `guardedDownload` unless a test says otherwise. */
  readonly download?: Download | undefined;
  /** Whoever asks pays the providers as well: what they say of the account is passed on. */
  readonly tellsWords?: boolean | undefined;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

const noCredential: ProviderCredential = { apiKey: null, baseUrl: '' };

/** Those with an adapter of their own. */
const own: Readonly<Record<string, () => Provider>> = {
  openai: createOpenAi,
  anthropic: createAnthropic,
  google: createGoogle,
};

/** The providers of one gateway and the platform's credentials for them. */
export function createRegistry(options: RegistryOptions): Registry {
  const now = options.now ?? Date.now;
  const order = createKeyOrder({ now, log: options.log });
  const guarded = (provider: Provider) =>
    withoutAddresses(order.withKeys(withoutKey(withHeaders(provider), options.tellsWords)), options.download);
  const known = knownProviders.map(({ id, name }) => guarded(own[id]?.() ?? createOpenAiCompatible({ id, name })));
  const sandbox = options.sandbox ? [withoutKey(createSandbox({ pace: options.sandboxPace }))] : [];
  const named = new Map<string, Provider>();
  const credentials = new Map<string, ProviderCredential>(options.sandbox ? [['sandbox', noCredential]] : []);
  let all: readonly Provider[] = [];
  let byId = new Map<string, Provider>();
  let ids: readonly string[] = [];
  const count = () => {
    all = [...known, ...named.values(), ...sandbox];
    byId = new Map(all.map((provider) => [provider.id, provider]));
    ids = [...byId.keys()];
  };
  count();
  const lists = createModelLists({
    fetch: options.fetch,
    now,
    log: options.log,
    always: options.sandbox ? [...sandboxModels, sandboxEmbedding] : [],
    getCredential: (id) => credentials.get(id) ?? null,
    providers: () => [...known, ...named.values()],
  });

  function providerFor(id: string, { server }: ProviderCredential): Provider | null {
    if (!server) return byId.get(id) ?? null;
    return isServerId(id) ? guarded(namedProvider(id, server)) : null;
  }

  return {
    get(id) {
      const provider = byId.get(id);
      return provider ? { provider, credential: credentials.get(id) ?? null } : null;
    },
    set(id, credential) {
      const provider = credential ? providerFor(id, credential) : byId.get(id);
      if (!provider) throw new RangeError(`there is no provider "${id}"`);
      if (credential) credentials.set(id, credential);
      else credentials.delete(id);
      if (credential?.server) named.set(id, provider);
      else named.delete(id);
      count();
      lists.credentialChanged(id);
    },
    providerFor,
    keys: order,
    configured: () => all.filter((provider) => credentials.has(provider.id)).map((provider) => provider.id),
    all: () => all,
    get ids() {
      return ids;
    },
    models: lists.models,
    unlisted: lists.unlisted,
    look: lists.look,
    lacksPrice: ({ price, provider: id }) =>
      price === null && knownProvider(id)?.ownServer === false && !byId.get(id)?.reportsCost,
    refresh: lists.refresh,
  };
}

const namedProvider = (id: string, { kind, name }: NamedServer): Provider =>
  kind === 'azure-openai'
    ? createAzureOpenAi({ id, name })
    : createOpenAiCompatible({ id, name, dialect: getDialect({ id: kind }) });

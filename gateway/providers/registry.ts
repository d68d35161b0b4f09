import { knownProvider, knownProviders } from '#shared/known-providers.ts';
import type { CatalogueModel } from '../catalogue/catalogue.ts';
import type { Download } from '../upstream/fetched-images.ts';
import type { UpstreamFetch } from '../upstream/upstream-response.ts';
import { createAnthropic } from './anthropic/anthropic.ts';
import { createGoogle } from './google/google.ts';
import { createModelLists } from './model-lists.ts';
import { createOpenAi } from './openai/openai.ts';
import { createOpenAiCompatible } from './openai-compatible/openai-compatible.ts';
import type { Provider, ProviderCredential } from './provider.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import { sandboxModels } from './sandbox/sandbox-models.ts';
import { withoutAddresses } from './without-addresses.ts';
import { withoutKey } from './without-key.ts';

/** Where a provider is reached unless its credential says otherwise; undefined where only its owner knows. */
export const defaultBaseUrl = (id: string): string | undefined => knownProvider(id)?.baseUrl ?? undefined;

/** Where a caller's own key may be sent without the operator having said so: never to a port of this machine. */
export const hostedBaseUrl = (id: string): string | undefined =>
  knownProvider(id)?.ownServer ? undefined : defaultBaseUrl(id);

export interface Registered {
  readonly provider: Provider;
  /** Null: the provider is known but no key was given. */
  readonly credential: ProviderCredential | null;
}

export interface Registry {
  get(id: string): Registered | null;
  /** Gives a provider its credential, replaces it, or takes it away. An unknown id throws a `RangeError`. */
  set(id: string, credential: ProviderCredential | null): void;
  /** Ids with a credential. */
  configured(): readonly string[];
  /** All known providers, in order of priority. */
  all(): readonly Provider[];
  /** Their ids. */
  readonly ids: readonly string[];
  /** Models that no price book lists: the sandbox's, and those that OpenAI-compatible servers name themselves. */
  models(): readonly CatalogueModel[];
  /** Asks an OpenAI-compatible server for its models again. Throws an `AppError` with an upstream code. */
  refresh(id: string, signal?: AbortSignal): Promise<void>;
}

export interface RegistryOptions {
  readonly fetch: UpstreamFetch;
  readonly sandbox: boolean;
  readonly sandboxPace: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Fetches images for providers that cannot or may not; `guardedDownload` unless a test says otherwise. */
  readonly download?: Download | undefined;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

const noCredential: ProviderCredential = { apiKey: null, baseUrl: '' };

/** Those with an adapter of their own; their models are in the price book. */
const own: Readonly<Record<string, () => Provider>> = {
  openai: createOpenAi,
  anthropic: createAnthropic,
  google: createGoogle,
};

/** The providers of one gateway and the platform's credentials for them. */
export function createRegistry(options: RegistryOptions): Registry {
  const providers: readonly Provider[] = [
    ...knownProviders.map(({ id, name }) =>
      withoutAddresses(own[id]?.() ?? createOpenAiCompatible({ id, name }), options.download),
    ),
    ...(options.sandbox ? [createSandbox({ pace: options.sandboxPace })] : []),
  ].map(withoutKey);
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  const credentials = new Map<string, ProviderCredential>(options.sandbox ? [['sandbox', noCredential]] : []);
  const lists = createModelLists({
    fetch: options.fetch,
    now: options.now ?? Date.now,
    log: options.log,
    always: options.sandbox ? sandboxModels : [],
    credentialOf: (id) => credentials.get(id) ?? null,
    providers: providers.filter(({ id }) => !own[id] && id !== 'sandbox'),
  });

  return {
    get(id) {
      const provider = byId.get(id);
      return provider ? { provider, credential: credentials.get(id) ?? null } : null;
    },
    set(id, credential) {
      if (!byId.has(id)) throw new RangeError(`there is no provider "${id}"`);
      if (credential) credentials.set(id, credential);
      else credentials.delete(id);
      lists.credentialChanged(id);
    },
    configured: () => providers.filter((provider) => credentials.has(provider.id)).map((provider) => provider.id),
    all: () => providers,
    ids: providers.map(({ id }) => id),
    models: lists.models,
    refresh: lists.refresh,
  };
}

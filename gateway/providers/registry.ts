import { toAppError } from '#shared/errors.ts';
import type { CatalogueModel } from '../catalogue/catalogue.ts';
import type { UpstreamFetch } from '../lib/upstream-response.ts';
import { createAnthropic } from './anthropic/anthropic.ts';
import { createGoogle } from './google/google.ts';
import { createOpenAi } from './openai/openai.ts';
import { listedModel } from './openai-compatible/listed-model.ts';
import { createOpenAiCompatible } from './openai-compatible/openai-compatible.ts';
import type { Provider, ProviderCredential } from './provider.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import { sandboxModels } from './sandbox/sandbox-models.ts';

/** Where each provider is reached unless its credential says otherwise. */
export const defaultBaseUrls: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  google: 'https://generativelanguage.googleapis.com',
};

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
  /** Models that no price book lists: the sandbox's, and those that an OpenAI-compatible server names itself. */
  models(): readonly CatalogueModel[];
  /** Asks the OpenAI-compatible server for its models again. Throws an `AppError` with an upstream code. */
  refresh(signal?: AbortSignal): Promise<void>;
}

export interface RegistryOptions {
  readonly fetch: UpstreamFetch;
  readonly sandbox: boolean;
  readonly sandboxPace: number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

const compatibleId = 'openai-compatible';
const noCredential: ProviderCredential = { apiKey: null, baseUrl: '' };
const listTimeoutMs = 10_000;

/** The providers of one gateway and the platform's credentials for them. */
export function createRegistry(options: RegistryOptions): Registry {
  const providers: readonly Provider[] = [
    createOpenAi(),
    createAnthropic(),
    createGoogle(),
    createOpenAiCompatible({ id: compatibleId, name: 'OpenAI-compatible server' }),
    ...(options.sandbox ? [createSandbox({ pace: options.sandboxPace })] : []),
  ];
  const credentials = new Map<string, ProviderCredential>(options.sandbox ? [['sandbox', noCredential]] : []);
  let listed: readonly CatalogueModel[] = [];

  const find = (id: string) => providers.find((provider) => provider.id === id);

  /** A list that arrives after its server was replaced is dropped. */
  async function refresh(signal: AbortSignal = AbortSignal.timeout(listTimeoutMs)): Promise<void> {
    const credential = credentials.get(compatibleId);
    const models = credential
      ? await find(compatibleId)?.models({ credential, fetch: options.fetch, signal })
      : undefined;
    if (credentials.get(compatibleId) === credential) {
      listed = (models ?? []).map((model) => listedModel(compatibleId, model));
    }
  }

  return {
    get(id) {
      const provider = find(id);
      return provider ? { provider, credential: credentials.get(id) ?? null } : null;
    },
    set(id, credential) {
      if (!find(id)) throw new RangeError(`there is no provider "${id}"`);
      if (credential) credentials.set(id, credential);
      else credentials.delete(id);
      if (id !== compatibleId) return;
      listed = [];
      if (!credential) return;
      refresh().catch((error: unknown) => {
        options.log({ event: 'model_list_failed', provider: id, code: toAppError(error).code });
      });
    },
    configured: () => providers.filter((provider) => credentials.has(provider.id)).map((provider) => provider.id),
    all: () => providers,
    models: () => [...(options.sandbox ? sandboxModels : []), ...listed],
    refresh,
  };
}

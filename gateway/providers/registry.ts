import { knownProvider, knownProviders } from '#shared/known-providers.ts';
import { parseUsdPerToken, picoUsd } from '#shared/money.ts';
import type { Price } from '#shared/price.ts';
import { isServerId } from '#shared/server-kinds.ts';
import type { CatalogueModel } from '../models/catalogue/catalogue.ts';
import { embeddingModel } from '../models/catalogue/facts/embedding-models.ts';
import { workerPool } from '../runtime/threads/worker-pool.ts';
import { createAnthropic } from './anthropic/anthropic.ts';
import { createAzureOpenAi } from './azure-openai/azure-openai.ts';
import { estimateInputTokens, tokensOfBytes } from './content/estimate-tokens.ts';
import type { EmbeddingRequest, Embeddings } from './embedding.ts';
import { embeddingList } from './embedding-answer.ts';
import { createGoogle } from './google/google.ts';
import { createKeyOrder, type KeyOrder } from './key-order.ts';
import { createModelLists } from './model-lists.ts';
import { createOpenAi } from './openai/openai.ts';
import { getDialect } from './openai-compatible/dialects.ts';
import { createOpenAiCompatible } from './openai-compatible/openai-compatible.ts';
import { getShare } from './packed-request.ts';
import type { NamedServer, Provider, ProviderCredential } from './provider.ts';
import { withHeaders, withoutAddresses, withoutKey } from './provider-guards.ts';
import { bytesOfWords } from './sandbox/bytes-of-words.ts';
import { play } from './sandbox/player.ts';
import { scriptTask } from './sandbox/script-task.ts';
import { scriptFor } from './sandbox/scripts.ts';
import type { Download } from './upstream/fetched-files.ts';
import type { UpstreamFetch } from './upstream/upstream-response.ts';

/**
 * The models of the sandbox. Every answer is made up, so every record is `simulated` and its price is in test credits.
 * A short answer costs between 0.0001 and 0.001 USD of them.
 */

const sandboxPrice: Price = {
  prompt: parseUsdPerToken('0.0000006'),
  completion: parseUsdPerToken('0.0000024'),
  cacheRead: null,
  cacheWrite: null,
  request: picoUsd(0n),
  tiers: [],
};

const paintingPrice: Price = { ...sandboxPrice, outputImage: parseUsdPerToken('0.0000048') };
const searchingPrice: Price = { ...sandboxPrice, search: parseUsdPerToken('0.0005') };

interface SandboxModel {
  readonly model: string;
  readonly name: string;
  readonly description: string;
  readonly quality: number;
  readonly capabilities: CatalogueModel['capabilities'];
  readonly speed: CatalogueModel['speed'];
}

const ordinary = { firstTokenMs: 300, tokensPerSecond: 90 };

const models: readonly SandboxModel[] = [
  {
    model: 'tour',
    name: 'Sandbox Tour',
    description:
      'Simulated. Answers questions about Portico: keys, prices, credits, the router, shortcuts, the gateway.',
    quality: 0.1,
    capabilities: ['streaming'],
    speed: ordinary,
  },
  {
    model: 'echo',
    name: 'Sandbox Echo',
    description: 'Simulated. Repeats the last user message exactly.',
    quality: 0.01,
    capabilities: ['streaming'],
    speed: { firstTokenMs: 200, tokensPerSecond: 120 },
  },
  {
    model: 'slow',
    name: 'Sandbox Slow',
    description: 'Simulated. A long answer at about ten tokens a second, to try Stop and leaving a page.',
    quality: 0.01,
    capabilities: ['streaming'],
    speed: { firstTokenMs: 400, tokensPerSecond: 10 },
  },
  {
    model: 'flaky',
    name: 'Sandbox Flaky',
    description:
      'Simulated. Fails on purpose: on the 1st, 3rd, 5th… user message of a chat it refuses with upstream_overloaded ' +
      'before the first token, and a last message that contains the word "cut" is broken off in the middle instead.',
    quality: 0,
    capabilities: ['streaming'],
    speed: ordinary,
  },
  {
    model: 'tools',
    name: 'Sandbox Tools',
    description:
      'Simulated. Calls the tool that the question names, works out its sums with a calculator, or calls the first tool ' +
      'it is offered with arguments made from its schema; then it tells the result. Its search of the web is made up, too.',
    quality: 0.05,
    capabilities: ['streaming', 'tools', 'web_search'],
    speed: ordinary,
  },
  {
    model: 'painter',
    name: 'Sandbox Painter',
    description: 'Simulated. Makes a picture of coloured shapes from the words of the question, without a network.',
    quality: 0.01,
    capabilities: ['streaming', 'vision', 'image_output'],
    speed: { firstTokenMs: 800, tokensPerSecond: 90 },
  },
  {
    model: 'reasoner',
    name: 'Sandbox Reasoner',
    description: 'Simulated. Thinks aloud first, then answers.',
    quality: 0.05,
    capabilities: ['streaming', 'reasoning'],
    speed: { firstTokenMs: 400, tokensPerSecond: 80 },
  },
];

function parsePricing({ capabilities }: SandboxModel): Price {
  if (capabilities.includes('image_output')) return paintingPrice;
  return capabilities.includes('web_search') ? searchingPrice : sandboxPrice;
}

export const sandboxModels: readonly CatalogueModel[] = models.map((entry) => ({
  id: `sandbox/${entry.model}`,
  provider: 'sandbox',
  model: entry.model,
  name: entry.name,
  description: entry.description,
  created: 0,
  contextLength: 128_000,
  maxOutputTokens: 8_192,
  inputModalities: entry.capabilities.includes('vision') ? ['text', 'image'] : ['text'],
  outputModalities: entry.capabilities.includes('image_output') ? ['text', 'image'] : ['text'],
  capabilities: entry.capabilities,
  supportedParameters: [
    'max_tokens',
    'stop',
    ...(entry.capabilities.includes('tools') ? ['tools', 'tool_choice'] : []),
    ...(entry.capabilities.includes('web_search') ? ['web_search_options'] : []),
    ...(entry.capabilities.includes('image_output') ? ['modalities'] : []),
    ...(entry.capabilities.includes('reasoning') ? ['reasoning_effort'] : []),
  ],
  price: parsePricing(entry),
  priceAsOf: '2026-11-20',
  priceSource: 'test credits',
  quality: entry.quality,
  speed: entry.speed,
  deprecationDate: null,
  shutdownDate: null,
  successor: null,
  facts: null,
  aliases: [],
  simulated: true,
}));

const dimensions = 64;

/** The sandbox's model for embeddings. Its limits are small, because its vectors are computed on the main thread. */
const sandboxEmbedding = embeddingModel(
  'sandbox/vectors',
  'Sandbox Vectors',
  {
    dimensions,
    selectable: { min: 1, max: 256 },
    inputTokens: 8_192,
    inputs: 100,
    requestTokens: 100_000,
    takesTokens: true,
  },
  {
    description: 'Simulated. The same input always gets the same vector, and nothing about its meaning is in it.',
    price: sandboxPrice,
    priceAsOf: '2026-11-20',
    priceSource: 'test credits',
    simulated: true,
  },
);

/** Makes vectors of length 1 from each input's hash. */
function sandboxVectors({ inputs, dimensions: asked, format }: EmbeddingRequest): Embeddings {
  const vectors = inputs.map((input) => vectorFor(JSON.stringify(input), asked ?? dimensions));
  const promptTokens = inputs.reduce(
    (sum: number, input) => sum + (typeof input === 'string' ? tokensOfBytes(Buffer.byteLength(input)) : input.length),
    0,
  );
  return { data: embeddingList(vectors, format), promptTokens };
}

function vectorFor(text: string, size: number): number[] {
  const bytes = bytesOfWords(text, 2 * size);
  const numbers = Array.from({ length: size }, (_, index) => bytes.readInt16LE(2 * index) + 0.5);
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / length);
}

/**
 * A provider without a network. It streams made-up answers at a realistic pace, so that chat, router, ledger and limits
 * can be tried without a key. The same request always gets the same answer. `pace` multiplies its pauses.
 */
export function createSandbox(options: { readonly pace: number }): Provider {
  return {
    id: 'sandbox',
    name: 'Sandbox',
    async chat(request, { signal }, take) {
      const speed = sandboxModels.find((entry) => entry.model === request.model)?.speed ?? defaultSpeed;
      const { packed, messages, parameters } = request;
      const script = packed ? await workerPool.run(scriptTask, { request }, [], getShare(packed)) : scriptFor(request);
      const promptTokens = packed ? packed.inputTokens : estimateInputTokens(messages, parameters.tools);
      for await (const event of play(script, promptTokens, { ...speed, pace: options.pace }, signal)) {
        await take([event]);
      }
    },
    embed: async (request) => sandboxVectors(request),
    async models() {
      return sandboxModels.map(({ model, created, contextLength }) => ({ model, created, contextLength }));
    },
  };
}

const defaultSpeed = { firstTokenMs: 300, tokensPerSecond: 90 };

/** The base URL of a provider, if its credential has no other; undefined if only the provider's owner knows it. */
export const defaultBaseUrl = (id: string): string | undefined => knownProvider(id)?.baseUrl ?? undefined;

/**
 * The base URL to which a caller's own key may be sent without the operator's permission. It never leads to a port of
 * this machine.
 */
export const hostedBaseUrl = (id: string): string | undefined =>
  knownProvider(id)?.ownServer ? undefined : defaultBaseUrl(id);

interface Registered {
  readonly provider: Provider;
  /** Null: the provider is known but has no key. */
  readonly credential: ProviderCredential | null;
}

export interface Registry {
  get(id: string): Registered | null;
  /**
   * Sets, replaces or removes the credential of a provider. A credential that names a server creates a provider, which
   * exists as long as the credential. Throws a `RangeError` for an unknown id.
   */
  set(id: string, credential: ProviderCredential | null): void;
  /** Returns the provider that this credential reaches; null if there is none. */
  providerFor(id: string, credential: ProviderCredential): Provider | null;
  /** The states of a provider's keys, if it has several. */
  readonly keys: Pick<KeyOrder, 'getStates' | 'cleared'>;
  /** Returns the ids of the providers with a credential. */
  configured(): readonly string[];
  /** Returns all known providers, in order of priority. */
  all(): readonly Provider[];
  /** The ids of all known providers. */
  readonly ids: readonly string[];
  /** Returns the models that no price book contains: those of the sandbox, and those that providers list themselves. */
  models(): readonly CatalogueModel[];
  /**
   * Returns a record for a model that isn't in any list, of the vendor that its name shows; null if it shows none
   * (`model-lists.ts`).
   */
  unlisted(provider: string | null, model: string): CatalogueModel | null;
  /**
   * Called when somebody views the list of models. It fetches the lists of price-book vendors and waits a moment for
   * them.
   */
  refreshVendorLists(): Promise<void>;
  /**
   * True if nobody can know what an answer of the model costs: it's a vendor's model without a price. Self-hosted
   * servers cost nothing.
   */
  lacksPrice(model: CatalogueModel): boolean;
  /** Fetches a provider's list of models again. Throws an `AppError` with an upstream code. */
  refresh(id: string, signal?: AbortSignal): Promise<void>;
}

interface RegistryOptions {
  readonly fetch: UpstreamFetch;
  readonly sandbox: boolean;
  readonly sandboxPace: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Downloads files for providers that can't or may not fetch them. The default is `guardedDownload`. */
  readonly download?: Download | undefined;
  /** The caller also pays the providers, so what they report about the account is passed on to the caller. */
  readonly showsProviderMessages?: boolean | undefined;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

const noCredential: ProviderCredential = { apiKey: null, baseUrl: '' };

/** The providers that have their own adapter. */
const own: Readonly<Record<string, () => Provider>> = {
  openai: createOpenAi,
  anthropic: createAnthropic,
  google: createGoogle,
};

/** Creates the list of a gateway's providers, with the operator's credentials for them. */
export function createRegistry(options: RegistryOptions): Registry {
  const now = options.now ?? Date.now;
  const order = createKeyOrder({ now, log: options.log });
  const guarded = (provider: Provider) =>
    withoutAddresses(
      order.withKeys(withoutKey(withHeaders(provider), options.showsProviderMessages)),
      options.download,
    );
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
    refreshVendorLists: lists.refreshVendorLists,
    lacksPrice: ({ price, provider: id }) =>
      price === null && knownProvider(id)?.ownServer === false && !byId.get(id)?.reportsCost,
    refresh: lists.refresh,
  };
}

const namedProvider = (id: string, { kind, name }: NamedServer): Provider =>
  kind === 'azure-openai'
    ? createAzureOpenAi({ id, name })
    : createOpenAiCompatible({ id, name, dialect: getDialect({ id: kind }) });

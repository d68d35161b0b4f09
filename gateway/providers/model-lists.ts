import { setTimeout as pause } from 'node:timers/promises';
import { toAppError } from '#shared/errors.ts';
import { isOwnServer } from '#shared/known-providers.ts';
import { canChat, getVendor, isBookVendor, withoutSnapshot } from '#shared/model-names.ts';
import { isKnownModel } from '../models/catalogue/build-catalogue.ts';
import type { Capability, CatalogueModel } from '../models/catalogue/catalogue.ts';
import { embeddingModel, unknownEmbedding } from '../models/catalogue/facts/embedding-models.ts';
import { getClaims, modelFacts } from '../models/catalogue/known-models.ts';
import type { Effort, ModelFacts } from '../models/catalogue/model-facts.ts';
import { parsePricing } from '../models/prices/price-document.ts';
import { azureDialect, mayHaveResponses } from './azure-openai/azure-openai.ts';
import { type Dialect, getDialect } from './openai-compatible/dialects.ts';
import type { DeclaredModel, ListedModel, NamedServer, Provider, ProviderCredential } from './provider.ts';
import { getReason } from './upstream/upstream-error.ts';
import type { UpstreamFetch } from './upstream/upstream-response.ts';

/**
 * Models of a price-book vendor that the book lacks: newer than the book, or named by hand. Nobody has read their
 * documentation yet, so requests are fitted to them by the facts of the nearest known model.
 */

/**
 * A model name in parts: `claude-sonnet-5-5` has the line `claude`, version 5.5 and the tier `sonnet`. A name without a
 * version stands for the newest.
 */
interface ModelName {
  readonly line: string;
  readonly major: number;
  readonly minor: number;
  readonly tier: string;
}

/** Higher than every real version. */
const newest = 1_000;
/** Words of a name that aren't a tier. */
const passing = new Set(['preview', 'exp', 'experimental', 'chat', 'codex', 'it']);

function parseName(model: string): ModelName {
  const base = withoutSnapshot(model.toLowerCase().replace(/^ft:([^:]+).*/, '$1'));
  const words = base.replace(/^o(?=\d)/, 'o-').split('-');
  const line = (words.shift() ?? '').replace(/^chatgpt$/, 'gpt');
  const index = words.findIndex((word) => /^\d/.test(word));
  const [, major = '', minor = '', letters = ''] = /^(\d+)(?:\.(\d+))?([a-z]*)$/.exec(words[index] ?? '') ?? [];
  const next = words[index + 1] ?? '';
  const hyphenated = line === 'claude' && minor === '' && /^\d{1,2}$/.test(next);
  const tier = words.filter((word) => !/^\d/.test(word) && !passing.has(word));
  return {
    line,
    major: major === '' ? newest : Number(major),
    minor: Number(hyphenated ? next : minor),
    tier: [letters, ...tier].filter((word) => word !== '').join('-'),
  };
}

const parsed = new Map(
  modelFacts.map((facts) => {
    const [provider = '', model = ''] = facts.id.split('/');
    return [facts, { provider, name: parseName(model) }] as const;
  }),
);

/**
 * Returns the facts of the nearest known model of the same vendor: first of the same line and generation, then of the
 * same tier, then of the nearest version. The generation comes before the tier, because a vendor changes what its API
 * accepts with a generation. Null for other vendors.
 */
export function nearestFacts(provider: string, model: string): ModelFacts | null {
  const wanted = parseName(model);
  const siblings = modelFacts.filter((facts) => parsed.get(facts)?.provider === provider && !facts.makesImages);
  const ranked = siblings.map((facts) => ({ facts, rank: distance(wanted, parsed.get(facts)?.name ?? wanted) }));
  return ranked.toSorted((a, b) => compare(a.rank, b.rank))[0]?.facts ?? null;
}

/** The distance between a known model and the wanted one, most important part first. */
function distance(wanted: ModelName, known: ModelName): readonly number[] {
  // In an older generation the last version is nearest, in a newer one the first.
  const minor = known.major === wanted.major ? wanted.minor : known.major < wanted.major ? newest : 0;
  return [
    Number(wanted.line !== known.line),
    ...from(wanted.major, known.major),
    Number(wanted.tier !== known.tier),
    ...from(minor, known.minor),
  ];
}

/** An older version is nearer than any newer one, because a parameter that a vendor has removed doesn't return. */
function from(wanted: number, known: number): readonly number[] {
  if (wanted === known) return [0, 0];
  return known < wanted ? [0, wanted - known] : [1, known - wanted];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** What a vendor's own list contains about a model's requests; null if it contains nothing. */
interface ListedFacts {
  readonly inputs: readonly string[] | null;
  readonly efforts: readonly Effort[] | null;
}

/** Facts in the vendor's own list take precedence over the facts of the nearest model. */
function asVendorModel(listed: CatalogueModel, { inputs, efforts }: ListedFacts): CatalogueModel {
  const nearest = nearestFacts(listed.provider, listed.model);
  if (!nearest) return listed;
  const facts: ModelFacts = {
    ...nearest,
    id: listed.id,
    description: null,
    released: null,
    deprecated: null,
    shutDown: null,
    successor: null,
    contextLength: listed.contextLength ?? nearest.contextLength,
    maxOutputTokens: listed.maxOutputTokens ?? nearest.maxOutputTokens,
    inputs: inputs ? nearest.inputs.filter((input) => inputs.includes(input)) : nearest.inputs,
    efforts: efforts && nearest.thinking.by === 'adaptive' ? withNone(efforts, nearest) : nearest.efforts,
  };
  return {
    ...listed,
    ...getClaims(facts),
    created: listed.created,
    // Limits grow with each generation, so those of a newer model may be too large for an older one.
    ...(isOlder(listed.model, nearest)
      ? { contextLength: listed.contextLength, maxOutputTokens: listed.maxOutputTokens }
      : { contextLength: facts.contextLength }),
    // Nobody has rated this model.
    quality: null,
  };
}

function isOlder(model: string, known: ModelFacts): boolean {
  const [wanted, found] = [parseName(model), parsed.get(known)?.name];
  return found === undefined || wanted.line !== found.line || wanted.major < found.major;
}

/** Vendors don't list whether thinking can be turned off, because that's no level of effort. */
const withNone = (efforts: readonly Effort[], nearest: ModelFacts): readonly Effort[] =>
  nearest.efforts.includes('none') ? ['none', ...efforts] : efforts;

/** The source of a list and its prices. */
interface Listing {
  readonly provider: string;
  readonly dialect: Dialect;
  /** Day of the list, `YYYY-MM-DD`. */
  readonly day: string;
  readonly source: string;
}

const sampling = ['temperature', 'top_p', 'max_tokens', 'stop', 'seed', 'frequency_penalty', 'presence_penalty'];
const toolParameters = ['tools', 'tool_choice', 'parallel_tool_calls'];

/**
 * Builds the record of a model that its server lists. Features that the list doesn't mention are offered, because the
 * server ignores or refuses what it lacks. A price that isn't listed is unknown, and the quality always is.
 */
function listedModel(listing: Listing, listed: ListedModel): CatalogueModel {
  const { provider, dialect } = listing;
  if (listed.embeds) return listedEmbedding(listing, listed);
  const inputs = listed.inputs ?? dialect.takes;
  const tools = listed.tools ?? true;
  const thinks = dialect.effort !== 'none' && listed.reasoning !== false;
  const offered = [
    ...sampling,
    ...(tools ? toolParameters : []),
    'response_format',
    ...(thinks ? ['reasoning_effort'] : []),
    ...(dialect.keepsCacheMarks ? ['cache_control'] : []),
    ...(listed.makesImages ? ['modalities'] : []),
  ];
  return {
    id: `${provider}/${listed.model}`,
    provider,
    model: listed.model,
    name: listed.name ?? listed.model,
    description: null,
    created: listed.created ?? 0,
    contextLength: listed.contextLength,
    maxOutputTokens: listed.maxOutputTokens ?? null,
    inputModalities: inputs,
    outputModalities: listed.makesImages ? ['text', 'image'] : ['text'],
    capabilities: getCapabilities(inputs, tools, thinks && listed.reasoning === true, listed.makesImages === true),
    supportedParameters: offered.filter((name) => !dialect.refuses.includes(name)),
    price: listed.price ?? null,
    priceAsOf: listed.price ? listing.day : null,
    priceSource: listed.price ? listing.source : null,
    quality: null,
    speed: { firstTokenMs: 1_000, tokensPerSecond: 30 },
    deprecationDate: null,
    shutdownDate: null,
    successor: null,
    facts: null,
    aliases: [],
    simulated: false,
  };
}

function listedEmbedding({ provider, day, source }: Listing, listed: ListedModel): CatalogueModel {
  const { model, name, created, contextLength, price = null } = listed;
  const facts = { ...unknownEmbedding, inputTokens: contextLength };
  return embeddingModel(`${provider}/${model}`, name ?? model, facts, {
    created: created ?? 0,
    price,
    ...(price === null ? {} : { priceAsOf: day, priceSource: source }),
  });
}

function getCapabilities(
  inputs: readonly string[],
  tools: boolean,
  reasoning: boolean,
  makesImages: boolean,
): Capability[] {
  return [
    'streaming',
    ...(tools ? (['tools'] as const) : []),
    'json_mode',
    'json_schema',
    ...(inputs.includes('image') ? (['vision'] as const) : []),
    ...(inputs.includes('file') ? (['files'] as const) : []),
    ...(inputs.includes('audio') ? (['audio'] as const) : []),
    ...(reasoning ? (['reasoning'] as const) : []),
    ...(makesImages ? (['image_output'] as const) : []),
  ];
}

export interface ModelLists {
  /**
   * Returns all models known now, as the same array until something changes. Lists that are old are fetched again in
   * the background.
   */
  models(): readonly CatalogueModel[];
  refresh(id: string, signal?: AbortSignal): Promise<void>;
  /**
   * Called when somebody views the list of models. From then on the lists of price-book vendors are fetched in the
   * background; a chat alone needs no list. Resolves when the lists that are fetched for the first time have arrived,
   * or soon after.
   */
  refreshVendorLists(): Promise<void>;
  /**
   * Returns a record for a model that isn't in any list, of the vendor that its name shows: the model may be newer than
   * every list. `provider`: accept only this vendor. Null if the name shows no vendor.
   */
  unlisted(provider: string | null, model: string): CatalogueModel | null;
  /** Forgets the list of the old server and fetches that of the new one. */
  credentialChanged(id: string): void;
}

export interface ModelListsOptions {
  readonly fetch: UpstreamFetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  readonly always: readonly CatalogueModel[];
  /** All providers that may list models, in order of priority. */
  readonly providers: () => readonly Provider[];
  readonly getCredential: (id: string) => ProviderCredential | null;
}

const listTimeoutMs = 10_000;
/**
 * How long a list stays fresh. A model that was just pulled should appear while its owner still watches, but a vendor's
 * list changes once a day at most.
 */
const freshMs = { ownServer: 30_000, hosted: 3_600_000 };
/** How long a viewer waits for lists that are fetched for the first time. */
const firstListMs = 1_000;
/** The wait after a failed fetch. It doubles with each failure that follows. */
const firstRetryMs = 30_000;
/** Names that a vendor may give a model. Other names are refused, because names are written into logs and records. */
const plainName = /^[a-z0-9][\w.:-]{0,99}$/i;

/** Fetches the models that providers list, and keeps them fresh as long as somebody uses them. */
export function createModelLists(options: ModelListsOptions): ModelLists {
  const lists = new Map<string, readonly CatalogueModel[]>();
  /** When each list is fetched again, and how often it has failed since it last arrived. */
  const due = new Map<string, { readonly nextFetchAt: number; readonly failures: number }>();
  /** Fetches in progress. Everybody who asks meanwhile gets the same answer. */
  const asking = new Map<string, { readonly credential: ProviderCredential | null; readonly answer: Promise<void> }>();
  let known = options.always;

  function keep(id: string, models: readonly CatalogueModel[]): void {
    if (models.length > 0) lists.set(id, models);
    else lists.delete(id);
    known = [...options.always, ...options.providers().flatMap((provider) => lists.get(provider.id) ?? [])];
  }

  /** Fetches a list. It's dropped if its server was replaced meanwhile. If the fetch fails, the old list stays. */
  async function refresh(id: string, signal: AbortSignal = AbortSignal.timeout(listTimeoutMs)): Promise<void> {
    const credential = options.getCredential(id);
    const running = asking.get(id);
    if (running && running.credential === credential) return running.answer;
    const answer = ask(id, credential, signal).finally(() => {
      if (asking.get(id)?.answer === answer) asking.delete(id);
    });
    asking.set(id, { credential, answer });
    return answer;
  }

  async function ask(id: string, credential: ProviderCredential | null, signal: AbortSignal): Promise<void> {
    const provider = options.providers().find((candidate) => candidate.id === id);
    if (!credential || !provider) return;
    const failures = (due.get(id)?.failures ?? 0) + 1;
    due.set(id, { nextFetchAt: options.now() + Math.min(firstRetryMs * 2 ** (failures - 1), freshFor(id)), failures });
    const listed = await provider.models({ credential, fetch: options.fetch, signal }).catch((error: unknown) => {
      if (getReason(toAppError(error)) !== 'no_model_list') throw error;
      return [];
    });
    if (options.getCredential(id) !== credential) return;
    due.set(id, { nextFetchAt: options.now() + freshFor(id), failures: 0 });
    keep(id, getRecords(id, credential, listed));
  }

  /**
   * Returns the models that a server lists, with what its owner declared about them, and those that only its owner
   * declared.
   */
  function getRecords(id: string, credential: ProviderCredential, listed: readonly ListedModel[]): CatalogueModel[] {
    const day = new Date(options.now()).toISOString().slice(0, 10);
    const dialect = dialectOfServer(id, credential);
    const listing = { provider: id, dialect, day, source: `${credential.baseUrl}/models` };
    const declared = new Map((credential.models ?? []).map((model) => [model.model, model]));
    const offered = isBookVendor(id)
      ? listed.filter(({ model }) => declared.has(model) || isNew(id, model, listed))
      : listed;
    const unlisted = [...declared.keys()].filter((name) => !listed.some(({ model }) => model === name));
    const record = (model: ListedModel) =>
      declaredModel(getRecord(listing, model), declared.get(model.model), credential.server, day);
    return [...offered.map(record), ...unlisted.map((name) => unverified(record(unknownModel(name))))];
  }

  function refreshBehind(id: string): void {
    refresh(id).catch((error: unknown) => {
      options.log({ event: 'model_list_failed', provider: id, code: toAppError(error).code });
    });
  }

  return {
    models() {
      const now = options.now();
      for (const [id, { nextFetchAt }] of due) if (now >= nextFetchAt) refreshBehind(id);
      return known;
    },
    refresh,
    async refreshVendorLists() {
      for (const { id } of options.providers()) {
        if (isBookVendor(id) && options.getCredential(id) && !due.has(id)) refreshBehind(id);
      }
      const first = [...asking].filter(([id]) => due.get(id)?.failures === 1).map(([, { answer }]) => answer);
      if (first.length > 0) await Promise.race([Promise.allSettled(first), pause(firstListMs, null, { ref: false })]);
    },
    unlisted(provider, name) {
      const vendor = plainName.test(name) ? getVendor(name) : null;
      if (vendor === null || (provider !== null && provider !== vendor)) return null;
      const day = new Date(options.now()).toISOString().slice(0, 10);
      const listing = { provider: vendor, dialect: getDialect({ id: vendor }), day, source: '' };
      return unverified(getRecord(listing, unknownModel(name)));
    },
    credentialChanged(id) {
      const credential = options.getCredential(id);
      keep(id, credential ? getRecords(id, credential, []) : []);
      due.delete(id);
      if (credential && !isBookVendor(id)) refreshBehind(id);
    },
  };
}

const freshFor = (id: string) => (isOwnServer(id) ? freshMs.ownServer : freshMs.hosted);

/**
 * True for a model in a price-book vendor's list that chats, and that neither the book nor the list has under a shorter
 * name.
 */
function isNew(provider: string, model: string, listed: readonly ListedModel[]): boolean {
  if (!canChat(provider, model) || isKnownModel(`${provider}/${model}`)) return false;
  const base = withoutSnapshot(model);
  if (base === model) return true;
  return !isKnownModel(`${provider}/${base}`) && !listed.some((other) => other.model === base);
}

function getRecord(listing: Listing, listed: ListedModel): CatalogueModel {
  const record = listedModel(listing, listed);
  const listedFacts = { inputs: listed.inputs ?? null, efforts: listed.efforts ?? null };
  return isBookVendor(listing.provider) && !record.embedding ? asVendorModel(record, listedFacts) : record;
}

const unverified = (model: CatalogueModel): CatalogueModel => ({ ...model, unverified: true });

const dialectOfServer = (id: string, { server }: ProviderCredential) =>
  server?.kind === 'azure-openai' ? azureDialect : getDialect({ id: server?.kind ?? id });

const unknownModel = (model: string): ListedModel => ({ model, created: null, contextLength: null });

/** What the server's owner declared takes precedence over what the server lists. */
function declaredModel(
  model: CatalogueModel,
  declared: DeclaredModel | undefined,
  server: NamedServer | undefined,
  day: string,
): CatalogueModel {
  if (!declared) return model;
  const { sameAs, price } = declared;
  const known =
    sameAs === null ? model : { ...model, sameAs: { id: sameAs, responses: mayHaveResponses(model.provider, server) } };
  if (price === null) return known;
  const priceSource = 'configuration';
  const { priceAsOf = day } = declared;
  return { ...known, price: parsePricing(price, priceAsOf, priceSource), priceAsOf, priceSource, isOwnPrice: true };
}

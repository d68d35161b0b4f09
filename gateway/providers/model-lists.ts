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
import { azureDialect, hasResponses } from './azure-openai/azure-openai.ts';
import { type Dialect, getDialect } from './openai-compatible/dialects.ts';
import type { DeclaredModel, ListedModel, NamedServer, Provider, ProviderCredential } from './provider.ts';
import { getReason } from './upstream/upstream-error.ts';
import type { UpstreamFetch } from './upstream/upstream-response.ts';

/**
 * Models that a vendor of the price book has and the book lacks: newer than the book, or named by hand. Nobody has read their
 * pages yet, so that a request is fitted to them by the facts of the nearest model that is known.
 */

/** A name in parts: `claude-sonnet-5-5` is line `claude`, version 5.5, tier `sonnet`. No version: the newest. */
interface ModelName {
  readonly line: string;
  readonly major: number;
  readonly minor: number;
  readonly tier: string;
}

/** Above every version there is. */
const newest = 1_000;
/** Words that name no tier. */
const passing = new Set(['preview', 'exp', 'experimental', 'chat', 'codex', 'it']);

function parseName(model: string): ModelName {
  const base = withoutSnapshot(model.toLowerCase().replace(/^ft:([^:]+).*/, '$1'));
  const words = base.replace(/^o(?=\d)/, 'o-').split('-');
  const line = (words.shift() ?? '').replace(/^chatgpt$/, 'gpt');
  const at = words.findIndex((word) => /^\d/.test(word));
  const [, major = '', minor = '', letters = ''] = /^(\d+)(?:\.(\d+))?([a-z]*)$/.exec(words[at] ?? '') ?? [];
  const next = words[at + 1] ?? '';
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
 * What is known of the nearest model of its vendor: of the same line and generation, there of the same tier, there of the nearest
 * version. A vendor changes what its API takes with a generation, so that this comes before the tier. Null of other vendors.
 */
export function nearestFacts(provider: string, model: string): ModelFacts | null {
  const wanted = parseName(model);
  const siblings = modelFacts.filter((facts) => parsed.get(facts)?.provider === provider && !facts.makesImages);
  const ranked = siblings.map((facts) => ({ facts, rank: distance(wanted, parsed.get(facts)?.name ?? wanted) }));
  return ranked.toSorted((a, b) => compare(a.rank, b.rank))[0]?.facts ?? null;
}

/** How far a known model is from the wanted one, most important first. */
function distance(wanted: ModelName, known: ModelName): readonly number[] {
  // Of an older generation the last version is nearest, of a newer one the first.
  const minor = known.major === wanted.major ? wanted.minor : known.major < wanted.major ? newest : 0;
  return [
    Number(wanted.line !== known.line),
    ...from(wanted.major, known.major),
    Number(wanted.tier !== known.tier),
    ...from(minor, known.minor),
  ];
}

/** An older one is nearer than any newer one, since what is gone stays gone. */
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

/** What a vendor's own list says of a model's requests; null: nothing. */
interface ListedFacts {
  readonly inputs: readonly string[] | null;
  readonly efforts: readonly Effort[] | null;
}

/** What the vendor's own list says of it comes before what is known of its nearest. */
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
    // Limits grow from one generation to the next: of an older model nobody says them.
    ...(isOlder(listed.model, nearest)
      ? { contextLength: listed.contextLength, maxOutputTokens: listed.maxOutputTokens }
      : { contextLength: facts.contextLength }),
    // Nobody has judged this one.
    quality: null,
  };
}

function isOlder(model: string, known: ModelFacts): boolean {
  const [wanted, found] = [parseName(model), parsed.get(known)?.name];
  return found === undefined || wanted.line !== found.line || wanted.major < found.major;
}

/** Whether thinking can be left out is no level of effort: vendors do not list it. */
const withNone = (efforts: readonly Effort[], nearest: ModelFacts): readonly Effort[] =>
  nearest.efforts.includes('none') ? ['none', ...efforts] : efforts;

/** Where a list has its prices from. */
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
 * A record for a model that its server lists. What the server does not say is offered, because it ignores or refuses by
 * itself what it lacks; a price that it does not say is not known, and quality never is.
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
  /** What is known now, always the same array until something changes. Lists that are old are asked for behind it. */
  models(): readonly CatalogueModel[];
  refresh(id: string, signal?: AbortSignal): Promise<void>;
  /**
   * Somebody looks at the list of models: vendors of the price book are asked for theirs from now on, behind it. Whoever only asks
   * a model needs no list. Resolves when those that are asked for the first time have answered, or soon after.
   */
  look(): Promise<void>;
  /**
   * A model that nobody lists, of the vendor that names its models like this: it may be newer than every list. `provider`: only
   * of this one. Null where the name shows no vendor.
   */
  unlisted(provider: string | null, model: string): CatalogueModel | null;
  /** Forgets what the server before it listed, and asks the new one. */
  credentialChanged(id: string): void;
}

export interface ModelListsOptions {
  readonly fetch: UpstreamFetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  readonly always: readonly CatalogueModel[];
  /** All that may list models, in order of priority. */
  readonly providers: () => readonly Provider[];
  readonly getCredential: (id: string) => ProviderCredential | null;
}

const listTimeoutMs = 10_000;
/** A model that was just pulled should appear while its owner still looks; a vendor's list changes by the day. */
const freshMs = { ownServer: 30_000, hosted: 3_600_000 };
/** How long somebody who looks waits for lists that are asked for the first time. */
const firstListMs = 1_000;
/** After a list that did not come; doubled with each one that follows. */
const firstRetryMs = 30_000;
/** A name that a vendor may have given: it is written into logs and records. */
const plainName = /^[a-z0-9][\w.:-]{0,99}$/i;

/** The models that providers list themselves, kept fresh as long as somebody looks. */
export function createModelLists(options: ModelListsOptions): ModelLists {
  const lists = new Map<string, readonly CatalogueModel[]>();
  /** When each is to be asked again, and how often it has failed since it last answered. */
  const due = new Map<string, { readonly at: number; readonly failures: number }>();
  /** Who asks meanwhile gets the same answer. */
  const asking = new Map<string, { readonly credential: ProviderCredential | null; readonly answer: Promise<void> }>();
  let known = options.always;

  function keep(id: string, models: readonly CatalogueModel[]): void {
    if (models.length > 0) lists.set(id, models);
    else lists.delete(id);
    known = [...options.always, ...options.providers().flatMap((provider) => lists.get(provider.id) ?? [])];
  }

  /** A list that arrives after its server was replaced is dropped; one that does not come leaves the old one. */
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
    const provider = options.providers().find((one) => one.id === id);
    if (!credential || !provider) return;
    const failures = (due.get(id)?.failures ?? 0) + 1;
    due.set(id, { at: options.now() + Math.min(firstRetryMs * 2 ** (failures - 1), freshFor(id)), failures });
    const listed = await provider.models({ credential, fetch: options.fetch, signal }).catch((error: unknown) => {
      if (getReason(toAppError(error)) !== 'no_model_list') throw error;
      return [];
    });
    if (options.getCredential(id) !== credential) return;
    due.set(id, { at: options.now() + freshFor(id), failures: 0 });
    keep(id, getRecords(id, credential, listed));
  }

  /** What a server lists, with what its owner says of it, and what only its owner says. */
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
      for (const [id, { at }] of due) if (now >= at) refreshBehind(id);
      return known;
    },
    refresh,
    async look() {
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

/** Of the list of a vendor in the price book: it chats, and neither the book nor the list has it under a shorter name. */
function isNew(provider: string, model: string, listed: readonly ListedModel[]): boolean {
  if (!canChat(provider, model) || isKnownModel(`${provider}/${model}`)) return false;
  const base = withoutSnapshot(model);
  if (base === model) return true;
  return !isKnownModel(`${provider}/${base}`) && !listed.some((other) => other.model === base);
}

function getRecord(listing: Listing, listed: ListedModel): CatalogueModel {
  const record = listedModel(listing, listed);
  const told = { inputs: listed.inputs ?? null, efforts: listed.efforts ?? null };
  return isBookVendor(listing.provider) && !record.embedding ? asVendorModel(record, told) : record;
}

const unverified = (model: CatalogueModel): CatalogueModel => ({ ...model, unverified: true });

const dialectOfServer = (id: string, { server }: ProviderCredential) =>
  server?.kind === 'azure-openai' ? azureDialect : getDialect({ id: server?.kind ?? id });

const unknownModel = (model: string): ListedModel => ({ model, created: null, contextLength: null });

/** What the server's owner says comes before what the server says. */
function declaredModel(
  model: CatalogueModel,
  declared: DeclaredModel | undefined,
  server: NamedServer | undefined,
  day: string,
): CatalogueModel {
  if (!declared) return model;
  const { sameAs, price } = declared;
  const known = sameAs === null ? model : { ...model, sameAs: { id: sameAs, responses: hasResponses(server) } };
  if (price === null) return known;
  const priceSource = 'configuration';
  const { priceAsOf = day } = declared;
  return { ...known, price: parsePricing(price, priceAsOf, priceSource), priceAsOf, priceSource, isOwnPrice: true };
}

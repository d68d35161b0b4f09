import { setTimeout as pause } from 'node:timers/promises';
import { toAppError } from '#shared/errors.ts';
import { isOwnServer } from '#shared/known-providers.ts';
import { canChat, getVendor, isBookVendor, withoutSnapshot } from '#shared/model-names.ts';
import { isKnownModel } from '../models/catalogue/build-catalogue.ts';
import type { CatalogueModel } from '../models/catalogue/catalogue.ts';
import { asVendorModel } from '../models/catalogue/vendor-models.ts';
import { parsePricing } from '../models/prices/price-document.ts';
import { azureDialect, hasResponses } from './azure-openai/azure-openai.ts';
import { getDialect } from './openai-compatible/dialects.ts';
import { type Listing, listedModel } from './openai-compatible/listed-model.ts';
import type { DeclaredModel, ListedModel, NamedServer, Provider, ProviderCredential } from './provider.ts';
import { getReason } from './upstream/upstream-error.ts';
import type { UpstreamFetch } from './upstream/upstream-response.ts';

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

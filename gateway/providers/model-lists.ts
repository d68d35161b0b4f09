import { toAppError } from '#shared/errors.ts';
import { knownProvider } from '#shared/known-providers.ts';
import type { CatalogueModel } from '../catalogue/catalogue.ts';
import { priceOf } from '../prices/price-document.ts';
import type { UpstreamFetch } from '../upstream/upstream-response.ts';
import { azureDialect, hasResponses } from './azure-openai/azure-openai.ts';
import { dialectOf } from './openai-compatible/dialects.ts';
import { listedModel } from './openai-compatible/listed-model.ts';
import type { DeclaredModel, ListedModel, NamedServer, Provider, ProviderCredential } from './provider.ts';

export interface ModelLists {
  /** What is known now, always the same array until something changes. Lists that are old are asked for behind it. */
  models(): readonly CatalogueModel[];
  refresh(id: string, signal?: AbortSignal): Promise<void>;
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
  /** Whether a provider's models are those of the price book. */
  readonly isInBook: (id: string) => boolean;
  readonly credentialOf: (id: string) => ProviderCredential | null;
}

const listTimeoutMs = 10_000;
/** A model that was just pulled should appear while its owner still looks; a vendor's list changes by the day. */
const freshMs = { ownServer: 30_000, hosted: 3_600_000 };

/** The models that OpenAI-compatible servers list themselves, kept fresh as long as somebody looks. */
export function createModelLists(options: ModelListsOptions): ModelLists {
  const lists = new Map<string, readonly CatalogueModel[]>();
  const askedAt = new Map<string, number>();
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
    const credential = options.credentialOf(id);
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
    if (!credential || !provider || options.isInBook(id)) return;
    askedAt.set(id, options.now());
    const listed = await provider.models({ credential, fetch: options.fetch, signal });
    if (options.credentialOf(id) === credential) keep(id, recordsOf(id, credential, listed));
  }

  /** What a server lists, with what its owner says of it, and what only its owner says. */
  function recordsOf(id: string, credential: ProviderCredential, listed: readonly ListedModel[]): CatalogueModel[] {
    const day = new Date(options.now()).toISOString().slice(0, 10);
    const dialect = dialectOfServer(id, credential);
    const listing = { provider: id, dialect, day, source: `${credential.baseUrl}/models` };
    const declared = new Map((credential.models ?? []).map((model) => [model.model, model]));
    const unlisted = [...declared.keys()].filter((name) => !listed.some(({ model }) => model === name));
    return [...listed, ...unlisted.map(unknownModel)].map((model) =>
      declaredModel(listedModel(listing, model), declared.get(model.model), credential.server, day),
    );
  }

  function refreshBehind(id: string): void {
    refresh(id).catch((error: unknown) => {
      options.log({ event: 'model_list_failed', provider: id, code: toAppError(error).code });
    });
  }

  return {
    models() {
      const at = options.now();
      for (const [id, since] of askedAt) {
        const fresh = (knownProvider(id)?.ownServer ?? true) ? freshMs.ownServer : freshMs.hosted;
        if (at - since >= fresh) refreshBehind(id);
      }
      return known;
    },
    refresh,
    credentialChanged(id) {
      const credential = options.credentialOf(id);
      keep(id, credential ? recordsOf(id, credential, []) : []);
      askedAt.delete(id);
      if (credential) refreshBehind(id);
    },
  };
}

const dialectOfServer = (id: string, { server }: ProviderCredential) =>
  server?.kind === 'azure-openai' ? azureDialect : dialectOf({ id: server?.kind ?? id });

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
  return { ...known, price: priceOf(price, priceAsOf, priceSource), priceAsOf, priceSource, isOwnPrice: true };
}

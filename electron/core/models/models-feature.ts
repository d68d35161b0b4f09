import { AppError, type ProblemText, problemTextOf } from '#shared/errors.ts';
import { knownProviderName } from '#shared/known-providers.ts';
import type { Model } from '#shared/wire/model.ts';
import type { Connections } from '../connection/connections.ts';
import { askGateway } from '../connection/gateway-errors.ts';
import type { ModelFacts } from '../connection/model-facts.ts';
import { failureEntry, type Log } from '../log/log.ts';
import type { Changes } from '../streams/change-topics.ts';
import { pause } from '../streams/pace.ts';
import { mergeModels } from './merge-models.ts';
import type { KnownModels, ModelsStore } from './models-store.ts';

export interface ModelsDeps {
  readonly store: ModelsStore;
  readonly connections: Connections;
  /** Key of the list: `embedded`, or the gateway’s address. */
  readonly source: () => string;
  readonly changes: Changes;
  readonly now: () => number;
  readonly log: Log;
}

const limitMs = 10_000;
/** How long a window waits before it gets the cached list. */
const patienceMs = 1500;

interface Trouble {
  readonly problem: ProblemText | null;
  readonly retryAfterMs: number | null;
}

export type ListedModels = KnownModels & Trouble;

const none: Trouble = { problem: null, retryAfterMs: null };

/** The gateway’s catalogue, or the cached one while the gateway does not answer. */
export function modelsFeature({ store, connections, source, changes, now, log }: ModelsDeps) {
  /** The problem of the last request. */
  let trouble = none;
  let facts = new Map<string, Model>();

  function keep(known: KnownModels): KnownModels {
    facts = new Map(known.models.flatMap((model) => [model.id, ...model.aliases].map((id) => [id, model] as const)));
    return known;
  }

  async function fetchList(): Promise<KnownModels> {
    const payers = await connections.payers();
    const lists = await askGateway(() =>
      Promise.all(payers.map(({ client }) => client.models({ signal: AbortSignal.timeout(limitMs) }))),
    );
    return { models: mergeModels(lists.map((list) => list.data)), fetchedAt: now() };
  }

  /** Fetches the list, or falls back to the cached one. */
  async function refresh(from: string): Promise<ListedModels> {
    try {
      const known = keep(await fetchList());
      await store.write(from, known);
      trouble = none;
      return { ...known, ...trouble };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log({ event: 'models-not-listed', code: error.code, ...failureEntry(error) });
      const known = keep((await store.read(from)) ?? { models: [], fetchedAt: now() });
      trouble = { problem: problemTextOf(error), retryAfterMs: error.retryAfterMs ?? null };
      return { ...known, ...trouble };
    }
  }

  /** Emits a topic when a slow gateway has answered with something new. */
  async function tellNews(refreshing: Promise<ListedModels>, shown: ListedModels): Promise<void> {
    const { models, problem: found } = await refreshing;
    if (
      JSON.stringify(found) !== JSON.stringify(shown.problem) ||
      JSON.stringify(models) !== JSON.stringify(shown.models)
    )
      changes.emit('models');
  }

  return {
    async list(): Promise<ListedModels> {
      const from = source();
      const refreshing = refresh(from);
      const first = await Promise.race([refreshing, pause(patienceMs).then(() => null)]);
      const known = first ? null : await store.read(from);
      if (!known) return refreshing;
      const shown = { ...known, ...trouble };
      tellNews(refreshing, shown).catch((error: unknown) =>
        log({ event: 'models-not-listed', ...failureEntry(error) }),
      );
      return shown;
    },

    /** The wallet that pays for this model, by the same rule as when sending. */
    async payer({ model }: { model: string }) {
      const [{ wallet }, provider] = await Promise.all([connections.payerFor(model), connections.ownKeyFor(model)]);
      return { wallet, ownKey: provider && knownProviderName(provider) };
    },

    /** Loads the cached list of the last run. */
    async load(): Promise<void> {
      const known = await store.read(source());
      if (known) keep(known);
    },

    /** The models of the last list, without a request. */
    known: (): readonly Model[] => [...new Set(facts.values())],

    /** Facts about a model, without a request. */
    modelFacts(id: string): ModelFacts | null {
      const model = facts.get(id);
      return model
        ? { name: model.name, simulated: model.simulated, priced: model.pricing !== null, record: model }
        : null;
    },
  };
}

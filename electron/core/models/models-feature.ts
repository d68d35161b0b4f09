import { AppError, type Told, toldBy } from '#shared/errors.ts';
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
  /** Names the list: the embedded gateway's, or that of the one at this address. */
  readonly source: () => string;
  readonly changes: Changes;
  readonly now: () => number;
  readonly log: Log;
}

const limitMs = 10_000;
/** How long a window waits for a gateway before it gets the last known list. */
const patienceMs = 1500;

interface Trouble {
  readonly problem: Told | null;
  readonly retryAfterMs: number | null;
}

export type ListedModels = KnownModels & Trouble;

const none: Trouble = { problem: null, retryAfterMs: null };

/** The catalogue as the gateway lists it, and the last known one while the gateway does not answer. */
export function modelsFeature({ store, connections, source, changes, now, log }: ModelsDeps) {
  /** What was wrong when the gateway was asked last. */
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

  /** Asks the gateway, and falls back to what it said last. */
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
      trouble = { problem: toldBy(error), retryAfterMs: error.retryAfterMs ?? null };
      return { ...known, ...trouble };
    }
  }

  /** Tells that a slow gateway has answered after all, where that is news to who was given the last known list. */
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

    /** Who pays for a message to this model, by the rule that it is sent by. */
    payer: async ({ model }: { model: string }) => ({ wallet: (await connections.payerFor(model)).wallet }),

    /** Knows the models of the last run before the gateway is asked. */
    async load(): Promise<void> {
      const known = await store.read(source());
      if (known) keep(known);
    },

    /** What is known of a model, without asking anyone. */
    modelFacts(id: string): ModelFacts | null {
      const model = facts.get(id);
      return model
        ? { name: model.name, simulated: model.simulated, priced: model.pricing !== null, record: model }
        : null;
    },
  };
}

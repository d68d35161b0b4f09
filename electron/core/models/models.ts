import { AppError } from '#shared/errors.ts';
import type { Model } from '#shared/wire/model.ts';
import type { ModelFacts } from '../chat/read-chunk.ts';
import type { Connections } from '../gateway/connections.ts';
import { askGateway } from '../gateway/gateway-errors.ts';
import { failureEntry, type Log } from '../log.ts';
import { mergeModels } from './merge-models.ts';
import type { KnownModels, ModelsStore } from './models-store.ts';

export interface ModelsDeps {
  readonly store: ModelsStore;
  readonly connections: Connections;
  /** Names the list: the embedded gateway's, or that of the one at this address. */
  readonly source: () => string;
  readonly now: () => number;
  readonly log: Log;
}

const limitMs = 10_000;

/** The catalogue as the gateway lists it, and the last known one while the gateway does not answer. */
export function modelsFeature({ store, connections, source, now, log }: ModelsDeps) {
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

  return {
    async list(): Promise<KnownModels & { problem: string | null }> {
      const from = source();
      try {
        const known = keep(await fetchList());
        await store.write(from, known);
        return { ...known, problem: null };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        log({ event: 'models-not-listed', code: error.code, ...failureEntry(error) });
        const known = keep((await store.read(from)) ?? { models: [], fetchedAt: now() });
        return { ...known, problem: error.message };
      }
    },

    /** Knows the models of the last run before the gateway is asked. */
    async load(): Promise<void> {
      const known = await store.read(source());
      if (known) keep(known);
    },

    /** What is known of a model, without asking anyone. */
    modelFacts(id: string): ModelFacts | null {
      const model = facts.get(id);
      return model ? { name: model.name, simulated: model.simulated, priced: model.pricing !== null } : null;
    },
  };
}

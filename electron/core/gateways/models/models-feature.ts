import { AppError, getProblemText, type ProblemText } from '#shared/errors.ts';
import { knownProviderName } from '#shared/known-providers.ts';
import { isNamedForOther } from '#shared/model-names.ts';
import type { Model } from '#shared/wire/model.ts';
import { failureEntry } from '../../runtime/log/log.ts';
import { pause } from '../../runtime/streams/pace.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { Connections } from '../connection/connections.ts';
import { askGateway } from '../connection/gateway-errors.ts';
import type { ModelFacts } from '../connection/model-facts.ts';
import { mergeModels } from './merge-models.ts';
import { type KnownModels, modelsStore } from './models-store.ts';

export interface ModelsDeps extends CoreContext {
  readonly connections: Connections;
  /** Key of the cached list: `embedded`, or the gateway’s address. */
  readonly source: () => string;
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

/** Lists the gateway’s models, or the cached ones while the gateway does not answer. */
export function modelsFeature({ db, connections, source, changes, now, log }: ModelsDeps) {
  const store = modelsStore(db);
  /** The problem of the last request. */
  let trouble = none;
  let facts = new Map<string, Model>();
  /** The source whose list is in `facts`. */
  let factsFrom: string | null = null;

  function keep(from: string, known: KnownModels): KnownModels {
    // The user may have switched the gateway while the request was running.
    if (from !== source()) return known;
    const isFirst = factsFrom !== from || facts.size === 0;
    factsFrom = from;
    facts = new Map(known.models.flatMap((model) => [model.id, ...model.aliases].map((id) => [id, model] as const)));
    // The default model for new chats depends on this list.
    if (isFirst && connections.mode === 'remote') changes.emit('settings');
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
      const known = keep(from, await fetchList());
      await store.write(from, known);
      trouble = none;
      return { ...known, ...trouble };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log({ event: 'model_list_failed', code: error.code, ...failureEntry(error) });
      const known = keep(from, (await store.read(from)) ?? { models: [], fetchedAt: now() });
      trouble = { problem: getProblemText(error), retryAfterMs: error.retryAfterMs ?? null };
      return { ...known, ...trouble };
    }
  }

  /** Emits a topic if a slow gateway has answered with something new. */
  async function announceNews(refreshing: Promise<ListedModels>, shown: ListedModels): Promise<void> {
    const { models, problem: found } = await refreshing;
    if (
      JSON.stringify(found) !== JSON.stringify(shown.problem) ||
      JSON.stringify(models) !== JSON.stringify(shown.models)
    )
      changes.emit('models');
  }

  const isRemote = () => connections.mode === 'remote';
  const isListed = () => factsFrom === source();

  /** Waits for the first list of a remote gateway, no longer than a window would. */
  async function listed(): Promise<void> {
    if (!isRemote() || (isListed() && facts.size > 0) || trouble.problem !== null) return;
    const refreshing = refresh(source()).catch((error: unknown) =>
      log({ event: 'model_list_failed', ...failureEntry(error) }),
    );
    await Promise.race([refreshing, pause(patienceMs)]);
  }

  /**
   * Returns the model for a new chat. If a remote gateway doesn't list the wanted model, one of its own models is used.
   * The built-in gateway asks vendors, which may have more models than they list.
   */
  function modelHere(wanted: string): string {
    if (!isRemote() || !isListed() || facts.size === 0 || facts.has(wanted)) return wanted;
    const models = [...new Set(facts.values())];
    const usable = models.filter(({ status }) => status === 'available' || status === 'degraded');
    const chats = usable.filter(({ id, kind }) => kind === 'chat' && !isNamedForOther(id));
    const instead = usable.find(({ kind }) => kind === 'router') ?? chats[0] ?? usable[0] ?? models[0];
    return instead?.id ?? wanted;
  }

  async function load(): Promise<void> {
    const from = source();
    keep(from, (await store.read(from)) ?? { models: [], fetchedAt: now() });
  }

  return {
    async list(): Promise<ListedModels> {
      const from = source();
      const refreshing = refresh(from);
      const first = await Promise.race([refreshing, pause(patienceMs).then(() => null)]);
      const known = first ? null : await store.read(from);
      if (!known) return refreshing;
      const shown = { ...known, ...trouble };
      announceNews(refreshing, shown).catch((error: unknown) =>
        log({ event: 'model_list_failed', ...failureEntry(error) }),
      );
      return shown;
    },

    /** Returns the account that pays for this model, by the same rule as sending. */
    async payer({ model }: { model: string }) {
      const [{ billingAccount }, provider] = await Promise.all([
        connections.payerFor(model),
        connections.ownKeyFor(model),
      ]);
      return { billingAccount, ownKey: provider && knownProviderName(provider) };
    },

    /** Loads the cached list of the last run. */
    load,

    /** Call this after the gateway was switched. Loads the cached list, or fetches one if there is none. */
    async switched(): Promise<void> {
      trouble = none;
      await load();
      await listed();
    },

    modelHere,
    async modelFor(wanted: string): Promise<string> {
      await listed();
      return modelHere(wanted);
    },

    /** True if the gateway supports only what any OpenAI-compatible server does. */
    async isOther(): Promise<boolean> {
      await listed();
      return isRemote() && (!isListed() || facts.size === 0 || [...facts.values()].some(({ other }) => other === true));
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

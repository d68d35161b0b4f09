import { AppError } from '#shared/errors.ts';
import { serverIdRule } from '#shared/server-kinds.ts';
import { createHealth } from '../engine/routing/health.ts';
import { createProviderWatch } from '../engine/routing/provider-watch.ts';
import { createSticky } from '../engine/routing/resolve.ts';
import { liveCatalogue } from '../models/catalogue/build-catalogue.ts';
import { createLivePrices } from '../models/prices/price-json.ts';
import type { Cluster } from '../operations/cluster/cluster.ts';
import type { Provider, ProviderCredential } from '../providers/provider.ts';
import { createRegistry, type Registry } from '../providers/registry.ts';
import type { Download } from '../providers/upstream/fetched-files.ts';
import type { UpstreamFetch } from '../providers/upstream/upstream-response.ts';
import type { Foundation, Log } from './open-foundation.ts';

export interface ModelOptions {
  /** Provider id → credential. What is missing is listed as `no_credential`. */
  readonly providers?: Readonly<Record<string, ProviderCredential>>;
  /** `false` hides the sandbox provider. */
  readonly sandbox?: boolean;
  /** Other names under which models may be asked for: alias → `provider/model`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Multiplies the sandbox's pauses; 0 in tests. */
  readonly sandboxPace?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Fetches images by their address; `guardedDownload` unless a test says otherwise. */
  readonly download?: Download | undefined;
  /** Whoever asks pays the providers as well, as in the app: what they say of the account is passed on (wire contract §3.3). */
  readonly showsProviderMessages?: boolean;
}

/** The providers that may be asked. Throws `invalid_input` where one is set that there is not. */
export function openRegistry(options: ModelOptions, fetch: UpstreamFetch, log: Log): Registry {
  const registry = createRegistry({
    fetch,
    sandbox: options.sandbox ?? true,
    sandboxPace: options.sandboxPace ?? 1,
    now: options.now ?? Date.now,
    download: options.download,
    showsProviderMessages: options.showsProviderMessages,
    log,
  });
  for (const [id, credential] of Object.entries(options.providers ?? {})) setProvider(registry, id, credential);
  return registry;
}

/** What may be asked, at which price, and how it does. */
export async function openModels(
  { db, now, log }: Foundation,
  options: ModelOptions,
  registry: Registry,
  cluster: Cluster,
) {
  const prices = await createLivePrices(db);
  const catalogue = liveCatalogue(now, registry.models, { aliases: options.aliases ?? {}, added: prices.current });
  const watch = createProviderWatch({ health: createHealth(now, cluster.share), now, log });
  return { registry, prices, catalogue, watch, health: watch.health, sticky: createSticky(now) };
}

export function setProvider(registry: Registry, id: string, credential: ProviderCredential | null): void {
  if (credential) providerFor(registry, id, credential);
  else if (!registry.get(id)) throw noProvider(registry, id);
  registry.set(id, credential);
}

/** Who is asked with this credential. Throws `invalid_input` where there is no such provider, or it may not be named so. */
export function providerFor(registry: Registry, id: string, credential: ProviderCredential): Provider {
  const provider = registry.providerFor(id, credential);
  if (provider) return provider;
  if (!credential.server) throw noProvider(registry, id);
  throw new AppError('invalid_input', `A server cannot be named "${id}": ${serverIdRule}.`);
}

function noProvider(registry: Registry, id: string): AppError {
  return new AppError('invalid_input', `There is no provider "${id}". Providers: ${registry.ids.join(', ')}.`);
}

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
  /** The credentials by provider id. A provider without one is listed as `no_credential`. */
  readonly providers?: Readonly<Record<string, ProviderCredential>>;
  /** `false` hides the sandbox provider. */
  readonly sandbox?: boolean;
  /** Other names under which models may be asked for: alias → `provider/model`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Multiplies the sandbox's pauses; 0 in tests. */
  readonly sandboxPace?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Fetches images by their address. The default is `guardedDownload`. */
  readonly download?: Download | undefined;
  /** The caller pays the providers too, as in the app, so what they report about the account is passed on (wire contract §3.3). */
  readonly showsProviderMessages?: boolean;
}

/** Opens the providers. Throws `invalid_input` for a credential of an unknown provider. */
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

/** Opens the models with their prices and health. */
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

/** The provider of a credential. Throws `invalid_input` when there is no such provider, or its name is not allowed. */
export function providerFor(registry: Registry, id: string, credential: ProviderCredential): Provider {
  const provider = registry.providerFor(id, credential);
  if (provider) return provider;
  if (!credential.server) throw noProvider(registry, id);
  throw new AppError('invalid_input', `A server cannot be named "${id}": ${serverIdRule}.`);
}

function noProvider(registry: Registry, id: string): AppError {
  return new AppError('invalid_input', `There is no provider "${id}". Providers: ${registry.ids.join(', ')}.`);
}

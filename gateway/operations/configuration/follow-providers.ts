import { toAppError } from '#shared/errors.ts';
import type { ProviderCredential } from '../../providers/provider.ts';
import { credentialFrom, type ProviderEntry } from './provider-entry.ts';
import type { ProviderOperator } from './provider-operator.ts';

const everyMs = 15_000;

/** A gateway, as far as it is told of providers. */
interface Following {
  setProvider(id: string, credential: ProviderCredential | null): void;
  readonly operator: Pick<ProviderOperator, 'definedProviders'>;
}

interface FollowOptions {
  /** By name: what the configuration file says of providers comes first. */
  readonly inFile: ReadonlySet<string>;
  /** What the environment gives, and is used again once a definition is gone. */
  readonly otherwise: Readonly<Record<string, ProviderCredential>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * Uses the providers that were defined by command, and what becomes of them while the gateway serves. One whose key is not
 * where it should be is told and left as it was. Resolves once those that there are were looked at, with what ends that.
 */
export async function followProviders(gateway: Following, options: FollowOptions): Promise<() => void> {
  let seen = new Map<string, string>();
  const used = new Set<string>();

  function use(id: string, entry: ProviderEntry): void {
    try {
      gateway.setProvider(id, credentialFrom(id, entry, options.env));
      used.add(id);
      options.log({ event: 'provider_defined', provider: id });
    } catch (error) {
      options.log({ event: 'provider_not_usable', level: 'error', provider: id, cause: toAppError(error).message });
    }
  }

  async function look(): Promise<void> {
    const defined = await gateway.operator.definedProviders();
    const texts = new Map([...defined].map(([id, entry]) => [id, JSON.stringify(entry)]));
    for (const [id, entry] of defined) {
      if (!options.inFile.has(id) && seen.get(id) !== texts.get(id)) use(id, entry);
    }
    for (const id of seen.keys()) {
      if (defined.has(id) || !used.delete(id)) continue;
      gateway.setProvider(id, options.otherwise[id] ?? null);
      options.log({ event: 'provider_removed', provider: id });
    }
    seen = texts;
  }

  await look();
  const timer = setInterval(() => {
    look().catch((error: unknown) => options.log({ event: 'provider_check_failed', cause: String(error) }));
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

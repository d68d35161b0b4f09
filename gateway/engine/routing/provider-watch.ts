import type { AppError } from '#shared/errors.ts';
import { getReason } from '../../providers/upstream/upstream-error.ts';
import type { Health, ModelHealth } from './health.ts';

/** A trouble that an operator has to fix (wire contract §3.3). */
export type Trouble = 'key_refused' | 'quota_exhausted';

/** Watches the platform's own accounts at the providers by their answers. Kept in this process's memory. */
export interface ProviderWatch {
  /** The health that the engine reports to and the router reads. A disabled model looks as if it were cooling down. */
  readonly health: Health;
  /** The trouble with the gateway's account at each provider, by the provider's id. */
  troubles(): Readonly<Record<string, Trouble>>;
  getTrouble(provider: string): Trouble | null;
  /** Whether the provider reported that it does not know this model. */
  isUnknown(modelId: string): boolean;
  /** There is a new credential, or a check succeeded: the provider starts again without trouble. */
  cleared(provider: string): void;
}

interface ProviderWatchOptions {
  readonly health: Health;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** An account without quota is tried again after this time by one request, or by a check if no request came. */
const emptyAccountMs = 300_000;
/** A model that its provider did not know may be there tomorrow. */
const unknownModelMs = 3_600_000;

export function createProviderWatch({ health, now, log }: ProviderWatchOptions): ProviderWatch {
  const troubles = new Map<string, Trouble>();
  const emptyUntil = new Map<string, number>();
  const unknownUntil = new Map<string, number>();

  const getProvider = (modelId: string) => modelId.slice(0, modelId.indexOf('/'));
  const isUnknown = (modelId: string) => (unknownUntil.get(modelId) ?? 0) > now();
  const isEmpty = (provider: string) => (emptyUntil.get(provider) ?? 0) > now();

  function cleared(provider: string): void {
    emptyUntil.delete(provider);
    const before = troubles.get(provider);
    if (troubles.delete(provider)) log({ event: 'provider_recovered', provider, trouble: before });
  }

  /** Logs a trouble once, until it is over. */
  function note(provider: string, trouble: Trouble): void {
    if (troubles.get(provider) === trouble) return;
    troubles.set(provider, trouble);
    log({ event: 'provider_needs_attention', provider, trouble });
  }

  function failed(modelId: string, error: AppError): void {
    const provider = getProvider(modelId);
    switch (getReason(error)) {
      case 'key_refused':
        note(provider, 'key_refused');
        break;
      case 'quota_exhausted':
        emptyUntil.set(provider, now() + emptyAccountMs);
        note(provider, 'quota_exhausted');
        break;
      case 'model_unknown':
        if (!isUnknown(modelId)) log({ event: 'model_unknown', model: modelId });
        unknownUntil.set(modelId, now() + unknownModelMs);
        break;
      case null:
        break;
    }
  }

  return {
    health: {
      of(id, account): ModelHealth {
        const own = health.of(id, account);
        return isEmpty(getProvider(id)) || isUnknown(id) ? { ...own, coolingDown: true } : own;
      },
      known: health.known,
      adopt: health.adopt,
      begin: health.begin,
      abandoned: health.abandoned,
      succeeded(id, account, timing) {
        unknownUntil.delete(id);
        if (troubles.size > 0) cleared(getProvider(id));
        health.succeeded(id, account, timing);
      },
      failed(id, account, error) {
        failed(id, error);
        health.failed(id, account, error);
      },
    },
    troubles: () => Object.fromEntries(troubles),
    getTrouble: (provider) => troubles.get(provider) ?? null,
    isUnknown,
    cleared,
  };
}

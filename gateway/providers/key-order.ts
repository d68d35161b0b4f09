import { AppError, toAppError } from '#shared/errors.ts';
import type { Secret } from '../access/auth/secret.ts';
import type { Provider, ProviderContext, ProviderCredential, ProviderKey } from './provider.ts';
import { getReason } from './upstream/upstream-error.ts';

export type KeyTrouble = 'refused' | 'empty' | 'rate_limited';

/** One of several keys, as far as it may be shown. */
export interface KeyState {
  readonly label: string;
  /** Its last four characters. */
  readonly ends: string;
  readonly state: 'ready' | KeyTrouble;
  /** When it is asked with again, in milliseconds since the epoch. */
  readonly until: number | null;
}

export interface KeyOrderOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

interface SetAside {
  readonly trouble: KeyTrouble;
  readonly until: number;
}

/** So long another key is asked first, where the provider does not say how long. */
const waitMs: Readonly<Record<KeyTrouble, number>> = { refused: 300_000, empty: 300_000, rate_limited: 10_000 };
/** Which failure of several is told: the one that is over first by itself. */
const mildest: readonly KeyTrouble[] = ['rate_limited', 'empty', 'refused'];

/**
 * Several keys of one provider, in their owner's order: the next one is asked with where one is refused, its account is empty
 * or its rate is limited, as long as nothing of an answer has come. One that failed so is set aside for a while.
 */
export function createKeyOrder({ now, log }: KeyOrderOptions) {
  const aside = new WeakMap<Secret, SetAside>();
  /** Always the same object for a key of a credential: adapters remember by it what its owner is refused. */
  const singles = new WeakMap<ProviderCredential, Map<Secret, ProviderCredential>>();
  const isAside = ({ secret }: ProviderKey) => (aside.get(secret)?.until ?? 0) > now();

  function single(credential: ProviderCredential, { secret }: ProviderKey): ProviderCredential {
    const known = singles.get(credential) ?? new Map<Secret, ProviderCredential>();
    const found = known.get(secret) ?? { ...credential, apiKey: secret, keys: [] };
    singles.set(credential, known.set(secret, found));
    return found;
  }

  /** Those that may work; where there is none, the one whose time is up first, so that a request asks at most once for nothing. */
  function toAsk(keys: readonly ProviderKey[]): readonly ProviderKey[] {
    const ready = keys.filter((key) => !isAside(key));
    if (ready.length > 0) return ready;
    const getUntil = ({ secret }: ProviderKey) => aside.get(secret)?.until ?? 0;
    return keys.toSorted((a, b) => getUntil(a) - getUntil(b)).slice(0, 1);
  }

  function setAside(provider: string, { label, secret }: ProviderKey, trouble: KeyTrouble, error: AppError): void {
    const isNews = aside.get(secret)?.trouble !== trouble;
    const retryAfterMs = trouble === 'rate_limited' ? error.retryAfterMs : undefined;
    aside.set(secret, { trouble, until: now() + (retryAfterMs ?? waitMs[trouble]) });
    if (isNews) log({ event: 'provider_key_set_aside', provider, key: label, ends: getEnds(secret), trouble });
  }

  function worked(provider: string, { label, secret }: ProviderKey): void {
    if (aside.delete(secret)) log({ event: 'provider_key_recovered', provider, key: label, ends: getEnds(secret) });
  }

  async function inOrder<T>(
    provider: string,
    credential: ProviderCredential,
    { signal }: Pick<ProviderContext, 'signal'>,
    ask: (credential: ProviderCredential) => Promise<T>,
    chat: { readonly begun: boolean } | null,
  ): Promise<T> {
    const failures = new Map<KeyTrouble, AppError>();
    for (const key of toAsk(credential.keys ?? [])) {
      try {
        const answer = await ask(single(credential, key));
        if (chat) worked(provider, key);
        return answer;
      } catch (thrown) {
        const error = toAppError(thrown);
        const trouble = getTrouble(error);
        if (trouble === null || signal.aborted) throw error;
        // What a key may list says nothing of what it may answer.
        if (chat) setAside(provider, key, trouble, error);
        failures.set(trouble, error);
        if (chat?.begun) throw error;
      }
    }
    const told = mildest.map((trouble) => failures.get(trouble)).find((error) => error !== undefined);
    throw told ?? new AppError('internal_error', 'A provider has no key to be asked with.');
  }

  return {
    /** The provider, asked with one key after the other where it has several. */
    withKeys(provider: Provider): Provider {
      const { id, chat, embed, models, checkKey } = provider;
      return {
        ...provider,
        chat(request, context, take) {
          if (!hasSeveral(context.credential)) return chat(request, context, take);
          const answer = { begun: false };
          const hear: typeof take = (events) => {
            answer.begun ||= events.length > 0;
            return take(events);
          };
          const ask = (credential: ProviderCredential) => chat(request, { ...context, credential }, hear);
          return inOrder(id, context.credential, context, ask, answer);
        },
        ...(embed ? { embed: embedInOrder(id, embed) } : {}),
        models(context) {
          if (!hasSeveral(context.credential)) return models(context);
          const ask = (credential: ProviderCredential) => models({ ...context, credential });
          return inOrder(id, context.credential, context, ask, null);
        },
        ...(checkKey ? { checkKey: checkInOrder(id, checkKey) } : {}),
      };
    },

    /** A check of it went well. */
    cleared: (provider: string, { apiKey: secret, keys = [] }: ProviderCredential): void => {
      const key = keys.find((each) => each.secret === secret);
      if (key) worked(provider, key);
      else if (secret) aside.delete(secret);
    },

    /** How the keys of a credential do, in their order; none where it has one at most. */
    getStates: ({ keys = [] }: ProviderCredential): KeyState[] =>
      keys.map((key) => {
        const found = isAside(key) ? aside.get(key.secret) : undefined;
        const { label, secret } = key;
        return { label, ends: getEnds(secret), state: found?.trouble ?? 'ready', until: found?.until ?? null };
      }),
  };

  function embedInOrder(id: string, embed: NonNullable<Provider['embed']>): NonNullable<Provider['embed']> {
    return (request, context) => {
      if (!hasSeveral(context.credential)) return embed(request, context);
      const ask = (credential: ProviderCredential) => embed(request, { ...context, credential });
      return inOrder(id, context.credential, context, ask, { begun: false });
    };
  }

  function checkInOrder(id: string, checkKey: NonNullable<Provider['checkKey']>): NonNullable<Provider['checkKey']> {
    return (context) => {
      if (!hasSeveral(context.credential)) return checkKey(context);
      const ask = (credential: ProviderCredential) => checkKey({ ...context, credential });
      return inOrder(id, context.credential, context, ask, null);
    };
  }
}

export type KeyOrder = ReturnType<typeof createKeyOrder>;

const hasSeveral = ({ keys }: ProviderCredential) => keys !== undefined && keys.length > 1;

function getTrouble(error: AppError): KeyTrouble | null {
  if (error.code === 'upstream_rate_limited') return 'rate_limited';
  const reason = getReason(error);
  if (reason === 'quota_exhausted') return 'empty';
  return reason === 'key_refused' ? 'refused' : null;
}

/** Of a short key less: four characters of eight would be half of it. */
export const getEnds = (secret: Secret): string => {
  const text = secret.reveal();
  return text.slice(text.length < 16 ? -2 : -4);
};

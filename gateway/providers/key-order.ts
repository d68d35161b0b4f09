import { AppError, toAppError } from '#shared/errors.ts';
import type { Secret } from '../access/auth/secret.ts';
import type { Provider, ProviderContext, ProviderCredential, ProviderKey } from './provider.ts';
import { getReason } from './upstream/upstream-error.ts';

export type KeyTrouble = 'refused' | 'empty' | 'rate_limited';

/** The state of one of several keys, without its secret. */
export interface KeyState {
  readonly label: string;
  /** The last characters of the key, see `getEnds`. */
  readonly ends: string;
  readonly state: 'ready' | KeyTrouble;
  /** When the key is tried again, in milliseconds since the epoch; null if it's ready. */
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

/** How long other keys are tried first, if the provider doesn't name a time. */
const waitMs: Readonly<Record<KeyTrouble, number>> = { refused: 300_000, empty: 300_000, rate_limited: 10_000 };
/** If all keys fail, the first of these failures is reported, because it passes soonest without anybody's help. */
const mildest: readonly KeyTrouble[] = ['rate_limited', 'empty', 'refused'];

/**
 * Uses several keys of one provider, in their owner's order. The next key is tried if one is refused, its account is
 * empty or its rate limit is reached, as long as no part of an answer has arrived. The failed key is set aside for a
 * while.
 */
export function createKeyOrder({ now, log }: KeyOrderOptions) {
  const aside = new WeakMap<Secret, SetAside>();
  /**
   * One credential object for each key, always the same one: adapters use it to remember what OpenAI refuses to a key's
   * owner.
   */
  const singles = new WeakMap<ProviderCredential, Map<Secret, ProviderCredential>>();
  const isAside = ({ secret }: ProviderKey) => (aside.get(secret)?.until ?? 0) > now();

  function single(credential: ProviderCredential, { secret }: ProviderKey): ProviderCredential {
    const known = singles.get(credential) ?? new Map<Secret, ProviderCredential>();
    const found = known.get(secret) ?? { ...credential, apiKey: secret, keys: [] };
    singles.set(credential, known.set(secret, found));
    return found;
  }

  /**
   * Returns the keys that may work. If there are none, returns only the key that is set aside for the shortest time, so
   * that a request makes at most one useless attempt.
   */
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
        // A key that may not list models may still answer chats.
        if (chat) setAside(provider, key, trouble, error);
        failures.set(trouble, error);
        if (chat?.begun) throw error;
      }
    }
    const reported = mildest.map((trouble) => failures.get(trouble)).find((error) => error !== undefined);
    throw reported ?? new AppError('internal_error', 'A provider has no key to be asked with.');
  }

  return {
    /** Wraps a provider so that it's called with one key after the other if it has several. */
    withKeys(provider: Provider): Provider {
      const { id, chat, embed, models, checkKey } = provider;
      return {
        ...provider,
        chat(request, context, take) {
          if (!hasSeveral(context.credential)) return chat(request, context, take);
          const answer = { begun: false };
          const takeEvents: typeof take = (events) => {
            answer.begun ||= events.length > 0;
            return take(events);
          };
          const ask = (credential: ProviderCredential) => chat(request, { ...context, credential }, takeEvents);
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

    /** Called after a successful check of a credential. Its key is then no longer set aside. */
    cleared: (provider: string, { apiKey: secret, keys = [] }: ProviderCredential): void => {
      const key = keys.find((candidate) => candidate.secret === secret);
      if (key) worked(provider, key);
      else if (secret) aside.delete(secret);
    },

    /** Returns the states of a credential's keys, in their order; empty if it has no list of keys. */
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

/** Returns the last four characters of a key, or two of a short key: four characters of eight would be half of it. */
export const getEnds = (secret: Secret): string => {
  const text = secret.reveal();
  return text.slice(text.length < 16 ? -2 : -4);
};

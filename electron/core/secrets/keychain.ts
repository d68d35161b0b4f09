import { AppError, type Told } from '#shared/errors.ts';
import { tell } from '#shared/language/refusals.ts';
import type { Log } from '../log/log.ts';

/** One operating system's store of secrets, as the keyring library gives it. */
export interface SecretStore {
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

export interface KeychainState {
  readonly state: 'available' | 'unavailable' | 'locked';
  readonly backend: string | null;
  readonly problem: Told | null;
}

/** The keychain, which may be missing, locked or hung. Every call ends within the limit, with an answer or an `AppError`. */
export interface Keychain extends SecretStore {
  state(): KeychainState;
  /** Finds out the state by reading something that is not there. */
  probe(): Promise<KeychainState>;
}

export interface KeychainDeps {
  /** Opens the store; throws where there is none. */
  readonly open: () => Promise<SecretStore>;
  /** What holds the keys, in the user's words. */
  readonly backend: string;
  readonly limitMs: number;
  readonly log: Log;
  readonly stateChanged: () => void;
  /** It answers again after it had failed: what could not be read can be read now. */
  readonly recovered: () => void;
}

const probeAccount = 'probe';

export function openKeychain({ open, backend, limitMs, log, stateChanged, recovered }: KeychainDeps): Keychain {
  const available: KeychainState = { state: 'available', backend, problem: null };
  let store: SecretStore | null = null;
  let current: KeychainState = lockedState('keychainNotYet');
  /** A call that has not come back. Until it does no other is made: each holds one of the few threads there are. */
  let hung = false;
  let failed = false;

  function become(next: KeychainState): void {
    const changed = next.state !== current.state;
    const back = failed && next.state === 'available';
    failed = next.state !== 'available';
    current = next;
    if (!changed) return;
    log({ event: 'keychain-state', state: next.state });
    stateChanged();
    if (back) recovered();
  }

  async function call<T>(ask: (store: SecretStore) => Promise<T>): Promise<T> {
    if (hung) throw failureFor(current);
    const asked = (async () => {
      store ??= await open();
      return ask(store);
    })();
    try {
      const answer = await within(limitMs, asked);
      become(available);
      return answer;
    } catch (error) {
      hung = error === tooLate;
      if (hung) void comeBack(asked);
      become(stateOf(error));
      throw failureFor(current);
    }
  }

  /** A call that took too long ends at last: perhaps the user was typing the keychain's password. */
  async function comeBack(asked: Promise<unknown>): Promise<void> {
    const next = await asked.then(() => available, stateOf);
    hung = false;
    become(next);
  }

  return {
    state: () => current,
    async probe() {
      await call((keychain) => keychain.get(probeAccount)).catch(() => null);
      return current;
    },
    get: (account) => call((keychain) => keychain.get(account)),
    set: (account, secret) => call((keychain) => keychain.set(account, secret)),
    remove: (account) => call((keychain) => keychain.remove(account)),
  };
}

const tooLate = Symbol('too late');

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

const lockedState = (name: 'keychainNotYet' | 'keychainHangs' | 'keychainLocked'): KeychainState => ({
  state: 'locked',
  backend: null,
  problem: tell(name),
});

function stateOf(error: unknown): KeychainState {
  if (error === tooLate) return lockedState('keychainHangs');
  const text = error instanceof Error ? error.message : '';
  if (/lock|denied|cancel|dismiss|prompt/i.test(text)) return lockedState('keychainLocked');
  return { state: 'unavailable', backend: null, problem: tell('keychainNone') };
}

function failureFor({ state, problem }: KeychainState): AppError {
  const { message, refusal } = problem ?? tell('keychainSilent');
  return new AppError(state === 'locked' ? 'keychain_locked' : 'keychain_failed', message, { refusal });
}

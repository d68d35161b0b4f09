import { AppError, type ProblemText } from '#shared/errors.ts';
import { toProblemText } from '#shared/language/refusals.ts';
import type { Log } from '../../runtime/log/log.ts';

/** The operating system's secret store, as the keyring library exposes it. */
export interface SecretStore {
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

export interface KeychainState {
  readonly state: 'available' | 'unavailable' | 'locked';
  readonly backend: string | null;
  readonly problem: ProblemText | null;
}

/**
 * The keychain, which may be missing, locked or hanging. Every call ends within the time limit, with a result or an
 * `AppError`.
 */
export interface Keychain extends SecretStore {
  state(): KeychainState;
  /** Detects the state by reading an entry that does not exist. */
  probe(): Promise<KeychainState>;
}

export interface KeychainDeps {
  /** Opens the store; throws if there is none. */
  readonly open: () => Promise<SecretStore>;
  /** The keychain's name as users know it. */
  readonly backend: string;
  readonly limitMs: number;
  readonly log: Log;
  readonly stateChanged: () => void;
  /** Called when it works again after a failure, because secrets that couldn't be read can be read now. */
  readonly recovered: () => void;
}

const probeAccount = 'probe';

export function openKeychain({ open, backend, limitMs, log, stateChanged, recovered }: KeychainDeps): Keychain {
  const available: KeychainState = { state: 'available', backend, problem: null };
  let store: SecretStore | null = null;
  let current: KeychainState = lockedState('keychainNotYet');
  /**
   * True while a call hasn't returned. No other call is made meanwhile, because each one blocks one of the few threads.
   */
  let hung = false;
  let failed = false;

  function become(next: KeychainState): void {
    const changed = next.state !== current.state;
    const reworded = next.problem?.refusal?.name !== current.problem?.refusal?.name;
    const back = failed && next.state === 'available';
    failed = next.state !== 'available';
    current = next;
    if (changed) log({ event: 'keychain_state', state: next.state });
    if (changed || reworded) stateChanged();
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
      become(getState(error));
      throw failureFor(current);
    }
  }

  /** Handles the return of a late call. The user may have been typing the keychain's password. */
  async function comeBack(asked: Promise<unknown>): Promise<void> {
    const next = await asked.then(() => available, getState);
    hung = false;
    become(next);
    // D-Bus times out before a keychain that hangs for long does, so another probe waits for it.
    if (next.problem?.refusal?.name === 'keychainHangs') await probe();
  }

  async function probe(): Promise<KeychainState> {
    await call((keychain) => keychain.get(probeAccount)).catch(() => null);
    return current;
  }

  return {
    state: () => current,
    probe,
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

const lockedState = (
  name: 'keychainNotYet' | 'keychainHangs' | 'keychainLocked' | 'keychainRefused',
): KeychainState => ({
  state: 'locked',
  backend: null,
  problem: toProblemText(name),
});

function getState(error: unknown): KeychainState {
  const text = error instanceof Error ? error.message : '';
  // The message of a D-Bus timeout mentions that the reply may have been blocked. That doesn't mean a lock.
  if (error === tooLate || /did not receive a reply/i.test(text)) return lockedState('keychainHangs');
  // These are macOS's messages after "Deny" and where it can't show a dialog.
  if (/passphrase you entered is not correct|interaction is not allowed/i.test(text))
    return lockedState('keychainRefused');
  if (/lock|denied|cancel|dismiss|prompt/i.test(text)) return lockedState('keychainLocked');
  return { state: 'unavailable', backend: null, problem: toProblemText('keychainNone') };
}

function failureFor({ state, problem }: KeychainState): AppError {
  const { message, refusal } = problem ?? toProblemText('keychainSilent');
  return new AppError(state === 'locked' ? 'keychain_locked' : 'keychain_failed', message, { refusal });
}

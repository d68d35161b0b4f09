import { AppError } from '#shared/errors.ts';
import { andThen, type MaybePromise } from '../../runtime/concurrency/awaitable.ts';
import type { Plan, Principal } from '../auth/principal.ts';
import type { Admission, LimitStore, Refusal, ReleasePlace, WindowState } from './limit-store.ts';

interface TokenEstimate {
  readonly input: number;
  /** The tokens that are reserved for the answer. */
  readonly output: number;
}

const concurrencyRetryMs = 1000;

/** What one chat request counts for in the limits of its credential (wire contract §7). */
export class RateLimitLease {
  readonly #store: LimitStore;
  readonly #plan: Plan;
  readonly #names: CounterNames;
  #requests: WindowState | null = null;
  #tokens: WindowState | null = null;
  #reserved: Admission | null = null;
  #exit: ReleasePlace | null = null;
  /** The task of the answer runs, and releases the lease when it ends. */
  isTaskRunning = false;

  constructor(store: LimitStore, principal: Principal) {
    this.#store = store;
    this.#plan = principal.plan;
    this.#names = getNames(principal);
  }

  /**
   * Counts the request. Throws or rejects with 429 when too many run or too many were sent in the last minute; `release` must be called all
   * the same.
   */
  acquire(): MaybePromise<void> {
    const { tokensPerMinute, concurrentRequests } = this.#plan;
    // Both questions are asked at once and both are awaited: each may go to another machine.
    const tokens = tokensPerMinute === null ? null : this.#take('tokens', tokensPerMinute, 0);
    const exit = concurrentRequests === null ? null : this.#store.enter(this.#names.chats, concurrentRequests);
    if (tokens instanceof Promise || exit instanceof Promise) return this.#acquireLater(tokens, exit);
    return this.#acquireWith(tokens, exit);
  }

  /** When another machine has to be asked, the request is counted with the same question. A refused request is counted off again. */
  async #acquireLater(
    tokens: MaybePromise<WindowState | null>,
    exit: MaybePromise<ReleasePlace | null>,
  ): Promise<void> {
    const { requestsPerMinute, concurrentRequests } = this.#plan;
    const counted = requestsPerMinute === null ? null : this.#take('requests', requestsPerMinute, 1);
    const [looked, occupied, taken] = await Promise.allSettled([tokens, exit, counted]);
    const request = taken.status === 'fulfilled' ? taken.value : null;
    if (looked.status === 'fulfilled') this.#tokens = looked.value;
    if (occupied.status === 'fulfilled') this.#exit = occupied.value;
    const isRefused = this.#exit === null && concurrentRequests !== null;
    if (isRefused && request?.admitted) await request.settle(0);
    for (const step of [looked, occupied, taken]) if (step.status === 'rejected') throw step.reason;
    if (isRefused) throw this.#oneTooMany(concurrentRequests, request && withoutOne(request));
    if (request) this.#count(request);
  }

  #acquireWith(tokens: WindowState | null, exit: ReleasePlace | null): MaybePromise<void> {
    const { requestsPerMinute, concurrentRequests } = this.#plan;
    this.#tokens = tokens;
    this.#exit = exit;
    if (exit === null && concurrentRequests !== null) {
      const counted = requestsPerMinute === null ? null : this.#take('requests', requestsPerMinute, 0);
      return andThen<WindowState | null, void>(counted, (state) => {
        throw this.#oneTooMany(concurrentRequests, state);
      });
    }
    if (requestsPerMinute === null) return undefined;
    return andThen(this.#take('requests', requestsPerMinute, 1), (counted) => this.#count(counted));
  }

  #count(counted: Admission | Refusal): void {
    this.#requests = counted;
    if (counted.admitted) return;
    throw tooMany('rate_limit_exceeded', `requests: at most ${counted.limit} a minute`, counted.retryAfterMs);
  }

  #oneTooMany(limit: number, requests: WindowState | null): AppError {
    this.#requests = requests;
    return tooMany('concurrency_limit_exceeded', `requests at once: at most ${limit}`, concurrencyRetryMs);
  }

  #take(what: 'requests' | 'tokens', limit: number, cost: number): ReturnType<LimitStore['take']> {
    return this.#store.take(this.#names[what], limit, cost);
  }

  /**
   * Reserves tokens. Throws or rejects with 429 when the minute's tokens are used up, and with 403 when the request can never fit into a
   * minute.
   */
  reserveTokens({ input, output }: TokenEstimate): MaybePromise<void> {
    const limit = this.#plan.tokensPerMinute;
    if (limit === null) return undefined;
    if (input > limit) throw neverFits(input, limit);
    return andThen(this.#take('tokens', limit, Math.min(input + output, limit)), (taken) => {
      this.#tokens = taken;
      if (!taken.admitted) {
        throw tooMany('token_rate_limit_exceeded', `tokens: at most ${limit} a minute`, taken.retryAfterMs);
      }
      this.#reserved = taken;
    });
  }

  /** From here on the answer's task releases the lease, when it ends. */
  handOver(): void {
    this.isTaskRunning = true;
  }

  /** Replaces the reserved tokens by the used ones, and lets another request run. */
  release(used: number): MaybePromise<void> {
    const left = this.#exit?.();
    const settled = this.#reserved?.settle(used);
    return left instanceof Promise || settled instanceof Promise
      ? Promise.all([left, settled]).then(() => {})
      : undefined;
  }

  /** Adds the `x-ratelimit-…` headers with the values at the time when the request was counted. */
  addHeaders(headers: Record<string, string>): void {
    addRateHeaders(headers, 'requests', this.#requests);
    addRateHeaders(headers, 'tokens', this.#tokens);
  }
}

/** The state of the window once an admitted request is counted off again. */
const withoutOne = (state: Admission | Refusal): WindowState =>
  state.admitted
    ? { limit: state.limit, resetMs: state.resetMs, remaining: Math.min(state.limit, state.remaining + 1) }
    : state;

/**
 * A credential shares a window with the credential that created it, so that creating keys does not multiply a plan's limits. All tokens of
 * one user are one credential, however often they are issued (§4.6).
 */
export const getWindow = ({ accountId, userId, credential }: Principal): string =>
  credential.window ?? credential.id ?? userId ?? accountId;

interface CounterNames {
  readonly requests: string;
  readonly tokens: string;
  readonly chats: string;
}

const knownNames = new WeakMap<Principal, CounterNames>();

/** The names of a principal's counters, built once: a hash of a new string would have to be computed again. */
function getNames(principal: Principal): CounterNames {
  const known = knownNames.get(principal);
  if (known) return known;
  const window = getWindow(principal);
  const names = { requests: `requests:${window}`, tokens: `tokens:${window}`, chats: `chats:${window}` };
  knownNames.set(principal, names);
  return names;
}

export const tooMany = (
  code: 'rate_limit_exceeded' | 'token_rate_limit_exceeded' | 'concurrency_limit_exceeded' | 'too_many_auth_failures',
  what: string,
  retryAfterMs: number,
) => new AppError(code, `Too many ${what}. Wait as long as "Retry-After" says.`, { retryAfterMs });

/** Waiting does not help, so this is no 429 (wire contract §0.6). */
const neverFits = (input: number, limit: number) =>
  new AppError('plan_limit_exceeded', `The request has about ${input} tokens; the plan allows ${limit} a minute.`, {
    details: { limit: 'tokens_per_minute', limit_value: String(limit), needed: input },
  });

/** Per minute, whatever the plan (wire contract §4.6, §7). */
const readsPerMinute = 120;
const verifiesPerMinute = 30;
const authFailuresPerMinute = 20;

/**
 * The limits that a request has to pass besides its credential. A caller in this process has no address, so no limit by address and no
 * limit of reads applies to it.
 */
export interface Limits {
  /** Opens the limits for a chat request. Throws or rejects with 403 when a quota of the plan is used up. */
  chat(principal: Principal): MaybePromise<RateLimitLease>;
  /** Counts any other request with a credential, unless it comes from this process. Throws 429. */
  read(principal: Principal, address: string | null): Promise<void>;
  /** Counts a verification by its address. Throws 429. */
  verify(address: string | null): Promise<void>;
  /**
   * Returns the error for a refused credential: 429 when its address had too many of them. A valid credential is never refused for what
   * others at the same address (a proxy, an office) send.
   */
  refused(error: unknown, address: string | null): Promise<unknown>;
}

export function createLimits(store: LimitStore, requireQuota: (principal: Principal) => MaybePromise<void>): Limits {
  async function count(key: string, limit: number, what: string): Promise<void> {
    const counted = await store.take(key, limit, 1);
    if (!counted.admitted) throw tooMany('rate_limit_exceeded', what, counted.retryAfterMs);
  }

  return {
    chat: (principal) => andThen(requireQuota(principal), () => new RateLimitLease(store, principal)),
    async read(principal, address) {
      if (address === null) return;
      const what = `requests: at most ${readsPerMinute} a minute`;
      await count(`reads:${getWindow(principal)}`, readsPerMinute, what);
    },
    async verify(address) {
      if (address === null) return;
      const what = `verifications from this address: at most ${verifiesPerMinute} a minute`;
      await count(`verify:${addressGroup(address)}`, verifiesPerMinute, what);
    },
    async refused(error, address) {
      const wrong = error instanceof AppError && error.status === 401 && error.code !== 'missing_credentials';
      if (!wrong || address === null) return error;
      const counted = await store.take(`auth:${addressGroup(address)}`, authFailuresPerMinute, 1);
      if (counted.admitted) return error;
      return tooMany('too_many_auth_failures', 'refused credentials from this address', counted.retryAfterMs);
    },
  };
}

const names = {
  requests: ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  tokens: ['x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
} as const;

/** Adds OpenAI's headers for one window (wire contract §7); none when the plan has no such limit. */
function addRateHeaders(headers: Record<string, string>, of: 'requests' | 'tokens', state: WindowState | null): void {
  if (!state) return;
  const [limit, remaining, reset] = names[of];
  headers[limit] = String(state.limit);
  headers[remaining] = String(state.remaining);
  headers[reset] = goDuration(state.resetMs);
}

/**
 * A duration as Go's `time.ParseDuration` reads it, which is how OpenAI's `x-ratelimit-reset-*` headers are written
 * (wire contract §7): `12ms`, `1s`, `6m0s`, `1h0m0s`.
 */
export function goDuration(milliseconds: number): string {
  const ms = Math.max(0, Math.ceil(milliseconds));
  if (ms < 1000) return ms === 0 ? '0s' : `${ms}ms`;
  const fraction =
    ms % 1000 === 0
      ? ''
      : `.${String(ms % 1000)
          .padStart(3, '0')
          .replace(/0+$/, '')}`;
  const seconds = `${Math.floor(ms / 1000) % 60}${fraction}s`;
  const minutes = Math.floor(ms / 60_000) % 60;
  const hours = Math.floor(ms / 3_600_000);
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

/**
 * The part of an address that one caller holds: an IPv4 address, or the 64-bit network of an IPv6 one, within which a
 * single machine may have any number of addresses.
 */
export function addressGroup(address: string): string {
  const plain = address.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped) return mapped;
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array<string>(Math.max(0, zeros)).fill('0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

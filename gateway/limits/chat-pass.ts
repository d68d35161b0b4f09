import { AppError } from '#shared/errors.ts';
import type { Plan, Principal } from '../auth/principal.ts';
import { type Awaitable, andThen } from '../concurrency/awaitable.ts';
import { addRateHeaders } from './limit-headers.ts';
import type { Admission, Leave, LimitStore, Refusal, WindowState } from './limit-store.ts';

interface TokenEstimate {
  readonly input: number;
  /** What is reserved for the answer. */
  readonly output: number;
}

const concurrencyRetryMs = 1000;

/** One chat request on its way through the limits of its credential (wire contract §7). */
export class ChatPass {
  readonly #store: LimitStore;
  readonly #plan: Plan;
  readonly #window: string;
  #requests: WindowState | null = null;
  #tokens: WindowState | null = null;
  #reserved: Admission | null = null;
  #exit: Leave | null = null;
  #running = false;

  constructor(store: LimitStore, principal: Principal) {
    this.#store = store;
    this.#plan = principal.plan;
    this.#window = windowOf(principal);
  }

  /**
   * Counts the request. Throws or rejects with 429 where too many run or too many were sent in the last minute; `leave` is to
   * be called all the same.
   */
  enter(): Awaitable<void> {
    const { tokensPerMinute, concurrentRequests } = this.#plan;
    // Both at once, and both to their end: each may be a question to another machine.
    const tokens = tokensPerMinute === null ? null : this.#take('tokens', tokensPerMinute, 0);
    const exit = concurrentRequests === null ? null : this.#store.enter(`chats:${this.#window}`, concurrentRequests);
    if (tokens instanceof Promise || exit instanceof Promise) return this.#enterLater(tokens, exit);
    return this.#enterWith(tokens, exit);
  }

  /** Where another machine has to be asked, the request is counted with the same question: what is refused is counted off again. */
  async #enterLater(tokens: Awaitable<WindowState | null>, exit: Awaitable<Leave | null>): Promise<void> {
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

  #enterWith(tokens: WindowState | null, exit: Leave | null): Awaitable<void> {
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
    return this.#store.take(`${what}:${this.#window}`, limit, cost);
  }

  /** Reserves tokens. Throws or rejects with 429 where the minute's are used up, 403 where no minute has as many. */
  reserveTokens({ input, output }: TokenEstimate): Awaitable<void> {
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

  /** From here on an answer's task runs: `leave` is called when that ends, not when the response was made. */
  run(): void {
    this.#running = true;
  }

  get running(): boolean {
    return this.#running;
  }

  /** Replaces the reserved tokens by the ones that were used, and makes room for another request. */
  leave(used: number): Awaitable<void> {
    const left = this.#exit?.();
    const settled = this.#reserved?.settle(used);
    return left instanceof Promise || settled instanceof Promise
      ? Promise.all([left, settled]).then(() => {})
      : undefined;
  }

  /** Adds the `x-ratelimit-…` headers as things stood when the request was counted. */
  addHeaders(headers: Record<string, string>): void {
    addRateHeaders(headers, 'requests', this.#requests);
    addRateHeaders(headers, 'tokens', this.#tokens);
  }
}

/** How the window stands once an admitted request is counted off again. */
const withoutOne = (state: Admission | Refusal): WindowState =>
  state.admitted
    ? { limit: state.limit, resetMs: state.resetMs, remaining: Math.min(state.limit, state.remaining + 1) }
    : state;

/**
 * Credentials share a window where one was minted by the other: minting keys does not multiply a plan's limits. Tokens of one
 * user are one credential, however often they are issued anew (§4.6); those of another user are another.
 */
export const windowOf = ({ accountId, userId, credential }: Principal): string =>
  credential.window ?? credential.id ?? userId ?? accountId;

export const tooMany = (
  code: 'rate_limit_exceeded' | 'token_rate_limit_exceeded' | 'concurrency_limit_exceeded' | 'too_many_auth_failures',
  what: string,
  retryAfterMs: number,
) => new AppError(code, `Too many ${what}. Wait as long as "Retry-After" says.`, { retryAfterMs });

/** Waiting would not help, so it is no 429 (wire contract §0.6). */
const neverFits = (input: number, limit: number) =>
  new AppError('plan_limit_exceeded', `The request has about ${input} tokens; the plan allows ${limit} a minute.`, {
    details: { limit: 'tokens_per_minute', limit_value: String(limit), needed: input },
  });

import { AppError } from '#shared/errors.ts';
import type { Principal } from '../auth/principal.ts';
import { rateHeaders } from './limit-headers.ts';
import type { Admission, Leave, LimitStore, WindowState } from './limit-store.ts';

interface TokenEstimate {
  readonly input: number;
  /** What is reserved for the answer. */
  readonly output: number;
}

/** One chat request on its way through the limits of its credential (wire contract §7). */
export interface ChatPass {
  /** Counts the request. Throws 429 where too many run or too many were sent in the last minute. */
  enter(): Promise<void>;
  /** Reserves tokens. Throws 429 where the minute's are used up, 403 where no minute has as many. */
  reserveTokens(estimate: TokenEstimate): Promise<void>;
  /** From here on an answer's task runs: `leave` is called when that ends, not when the response was made. */
  run(): void;
  readonly running: boolean;
  /** Replaces the reserved tokens by the ones that were used, and makes room for another request. */
  leave(tokens: number): Promise<void>;
  /** The `x-ratelimit-…` headers as things stood when the request was counted. */
  headers(): Record<string, string>;
}

const concurrencyRetryMs = 1000;

export function createChatPass(store: LimitStore, principal: Principal): ChatPass {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = principal.plan;
  const window = windowOf(principal);
  let requests: WindowState | null = null;
  let tokens: WindowState | null = null;
  let reserved: Admission | null = null;
  let exit: Leave | null = null;
  let running = false;

  async function countRequest(limit: number): Promise<void> {
    const counted = await store.take(`requests:${window}`, limit, 1);
    requests = counted;
    if (counted.admitted) return;
    throw tooMany('rate_limit_exceeded', `requests: at most ${limit} a minute`, counted.retryAfterMs);
  }

  async function occupy(limit: number): Promise<void> {
    exit = await store.enter(`chats:${window}`, limit);
    if (exit) return;
    if (requestsPerMinute !== null) requests = await store.take(`requests:${window}`, requestsPerMinute, 0);
    throw tooMany('concurrency_limit_exceeded', `requests at once: at most ${limit}`, concurrencyRetryMs);
  }

  async function look(limit: number): Promise<void> {
    tokens = await store.take(`tokens:${window}`, limit, 0);
  }

  return {
    async enter() {
      try {
        // Both at once, and both to their end: each may be a question to another machine.
        const asked = await Promise.allSettled([
          tokensPerMinute === null ? undefined : look(tokensPerMinute),
          concurrentRequests === null ? undefined : occupy(concurrentRequests),
        ]);
        for (const step of asked) if (step.status === 'rejected') throw step.reason;
        if (requestsPerMinute !== null) await countRequest(requestsPerMinute);
      } catch (error) {
        await exit?.();
        throw error;
      }
    },
    async reserveTokens({ input, output }) {
      if (tokensPerMinute === null) return;
      if (input > tokensPerMinute) throw neverFits(input, tokensPerMinute);
      const taken = await store.take(`tokens:${window}`, tokensPerMinute, Math.min(input + output, tokensPerMinute));
      tokens = taken;
      if (!taken.admitted) {
        throw tooMany('token_rate_limit_exceeded', `tokens: at most ${tokensPerMinute} a minute`, taken.retryAfterMs);
      }
      reserved = taken;
    },
    run() {
      running = true;
    },
    get running() {
      return running;
    },
    async leave(used) {
      await Promise.all([exit?.(), reserved?.settle(used)]);
    },
    headers: () => ({ ...rateHeaders('requests', requests), ...rateHeaders('tokens', tokens) }),
  };
}

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

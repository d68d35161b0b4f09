import { AppError } from '#shared/errors.ts';
import type { Principal } from '../auth/principal.ts';
import { type Awaitable, andThen } from '../concurrency/awaitable.ts';
import { addressGroup } from './address-group.ts';
import { ChatPass, tooMany, windowOf } from './chat-pass.ts';
import type { LimitStore } from './limit-store.ts';

/** Per minute, whatever the plan (wire contract §4.6, §7). */
const readsPerMinute = 120;
const verifiesPerMinute = 30;
const authFailuresPerMinute = 20;

/** What a request has to pass besides its credential. A caller in this process has no address and no limits by address. */
export interface Limits {
  /** A chat request that wants to be counted. Throws or rejects with 403 where a quota of the plan is used up. */
  chat(principal: Principal): Awaitable<ChatPass>;
  /** Counts any other request with a credential. Throws 429. */
  read(principal: Principal): Promise<void>;
  /** Counts a verification by its address. Throws 429. */
  verify(address: string | null): Promise<void>;
  /**
   * The error a caller gets whose credential was refused: 429 where its address had too many of these. Whoever has a
   * valid credential is never refused for what others at the same address (a proxy, an office) send.
   */
  refused(error: unknown, address: string | null): Promise<unknown>;
}

export function createLimits(store: LimitStore, requireQuota: (principal: Principal) => Awaitable<void>): Limits {
  async function count(key: string, limit: number, what: string): Promise<void> {
    const counted = await store.take(key, limit, 1);
    if (!counted.admitted) throw tooMany('rate_limit_exceeded', what, counted.retryAfterMs);
  }

  return {
    chat: (principal) => andThen(requireQuota(principal), () => new ChatPass(store, principal)),
    read: (principal) =>
      count(`reads:${windowOf(principal)}`, readsPerMinute, `requests: at most ${readsPerMinute} a minute`),
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

import { GatewayError, isLacking } from './gateway-error.ts';
import { type OtherAmount, otherAmount } from './reported.ts';

/** How long a gateway may take to report its unit: an answer waits for it. */
const limitMs = 3_000;
/** How long a gateway that failed to report its unit is left alone. */
const askAgainMs = 60_000;

export type AccountUnit = ReturnType<typeof createAccountUnit>;

/**
 * Creates the memory of what an account's gateway counts in: the unit of its balance. All clients of the account share
 * it.
 */
export function createAccountUnit() {
  /** Undefined: not known yet. Null: dollars, or a gateway that names no unit, as most do that count in dollars. */
  let known: string | null | undefined;
  let askAgainAt = 0;

  return {
    /** Remembers the unit of a balance. Null: the gateway reported none of this kind. */
    note(usd: unknown, other: OtherAmount | null | undefined): void {
      if (other) known = other.unit;
      else if (usd !== null) known = null;
    },

    /** Returns the unit of amounts that name none. `ways` read a balance; each is asked once until the unit is known. */
    async get(ways: readonly ((more: { signal: AbortSignal }) => Promise<unknown>)[]): Promise<string | null> {
      if (known !== undefined) return known;
      if (performance.now() < askAgainAt) return null;
      const more = { signal: AbortSignal.timeout(limitMs) };
      let hasFailed = false;
      for (const ask of ways) {
        await ask(more).catch((error: unknown) => {
          hasFailed ||= !isUnreported(error);
        });
        if (known !== undefined) return known;
      }
      if (hasFailed) askAgainAt = performance.now() + askAgainMs;
      else known = null;
      return null;
    },
  };
}

/** The gateway has no such endpoint, or does not open it to this key. */
const isUnreported = (error: unknown): boolean =>
  isLacking(error) ||
  (error instanceof GatewayError && error.status_code >= 400 && error.status_code < 500 && error.status_code !== 429);

/** Returns the balance in an error about a gateway that counts in another unit than USD. */
export function getOtherBalance(error: unknown): OtherAmount | null {
  const parsed = error instanceof GatewayError ? otherAmount.safeParse(error.details?.balance) : null;
  return parsed?.success ? parsed.data : null;
}

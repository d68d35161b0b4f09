/** Accounts whose callers have lately left an answer that was asked for in one piece. */
export interface EarlyLeavers {
  has(accountId: string): boolean;
  add(accountId: string): void;
}

const rememberedMs = 3_600_000;
const mostRemembered = 10_000;

/**
 * What was produced of such an answer nobody can say, so that nothing is charged for it, though the upstream may bill it. Who
 * does that is asked for parts for an hour, of which what came is charged: it stays an accident, and is no way to spend the
 * operator's money (docs/decisions/043).
 */
export function createEarlyLeavers(now: () => number): EarlyLeavers {
  const until = new Map<string, number>();
  return {
    has: (accountId) => until.size > 0 && (until.get(accountId) ?? 0) > now(),
    add(accountId) {
      until.delete(accountId);
      until.set(accountId, now() + rememberedMs);
      const [oldest] = until.keys();
      if (until.size > mostRemembered && oldest !== undefined) until.delete(oldest);
    },
  };
}

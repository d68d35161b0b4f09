/** A capacity that accounts share: running answers, bytes of large bodies. */
export interface Shares {
  /** Units that are taken. */
  readonly used: number;
  /** Nobody gets anything, whatever the account. */
  readonly isFull: boolean;
  /** Takes units for an account; false where there are none left for it. */
  take(account: string, units: number): boolean;
  /** Gives back what was taken. */
  give(account: string, units: number): void;
}

/** What is there beyond the capacity, for accounts that have less than an equal share, as a part of it. */
const reserved = 1 / 4;

/**
 * An account alone may take all of the capacity. Nothing is taken from whoever has it; so beyond the capacity there is a
 * reserve, from which an account gets up to an equal share while others hold more than theirs. Those are refused until
 * enough of what they hold has ended: every account comes to its equal share, or to all that it wants if that is less.
 */
export function createShares(capacity: number): Shares {
  const held = new Map<string, number>();
  const most = Math.floor(capacity * (1 + reserved));
  let used = 0;
  return {
    get used() {
      return used;
    },
    get isFull() {
      return used >= most;
    },
    take(account, units) {
      const own = held.get(account) ?? 0;
      if (used + units > capacity) {
        const sharers = held.size + (own === 0 ? 1 : 0);
        if (used + units > most || own + units > capacity / sharers) return false;
      }
      used += units;
      held.set(account, own + units);
      return true;
    },
    give(account, units) {
      const left = (held.get(account) ?? 0) - units;
      used -= units;
      if (left > 0) held.set(account, left);
      else held.delete(account);
    },
  };
}

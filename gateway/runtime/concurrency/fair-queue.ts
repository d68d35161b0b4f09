/**
 * The platform serves whatever is ready in the order in which it came, so an account with a thousand connections delays every
 * other one. This file has a queue and a shared capacity that are fair by account. A small request beside fifty bodies of 18 MB
 * of another account waited 44 ms (median of the gateway's thread time) instead of 1,597 ms (decision 042). To check:
 * `fair-queue.test.ts` and `shares.test.ts`.
 */

/** A queue that accounts share. Each account has its own line. */
interface FairQueue<Item> {
  readonly size: number;
  /** The total cost of everything that waits. */
  readonly cost: number;
  /** How many accounts have something waiting. */
  readonly accounts: number;
  /** The total cost of what waits for one account. */
  getCost(account: string): number;
  push(account: string, cost: number, item: Item): void;
  /** Removes and returns the next item that costs at most `maxCost`. */
  take(maxCost?: number): { readonly item: Item; readonly cost: number } | undefined;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly cost: number;
  /**
   * When the item would begin and end if all accounts were served at the same time, on the queue's virtual clock, which counts
   * cost.
   */
  readonly begins: number;
  readonly ends: number;
}

interface Line<Item> {
  readonly waiting: Waiting<Item>[];
  cost: number;
  /** When the last item of this line ends. */
  ends: number;
}

/**
 * Start-time fair queueing. The next item is the one that would end first if all accounts were served at the same time and speed.
 * Cheap items overtake expensive ones, and an account with many items waits for its own. Nothing waits forever: a waiting item
 * keeps its end time while the clock goes on.
 */
export function createFairQueue<Item>(): FairQueue<Item> {
  const lines = new Map<string, Line<Item>>();
  let clock = 0;
  let size = 0;
  let cost = 0;

  /** Returns the line and the position of the next item. */
  function next(maxCost: number): { line: Line<Item>; index: number; found: Waiting<Item> } | undefined {
    let best: { line: Line<Item>; index: number; found: Waiting<Item> } | undefined;
    for (const [account, line] of lines) {
      if (line.waiting.length === 0 && line.ends <= clock) lines.delete(account);
      const index = line.waiting.findIndex((entry) => entry.cost <= maxCost);
      const found = line.waiting[index];
      if (found && (!best || found.ends < best.found.ends)) best = { line, index, found };
    }
    return best;
  }

  return {
    get size() {
      return size;
    },
    get cost() {
      return cost;
    },
    get accounts() {
      let count = 0;
      for (const { waiting } of lines.values()) count += waiting.length > 0 ? 1 : 0;
      return count;
    },
    getCost: (account) => lines.get(account)?.cost ?? 0,
    push(account, units, item) {
      const line = lines.get(account) ?? { waiting: [], cost: 0, ends: 0 };
      const begins = Math.max(clock, line.ends);
      line.ends = begins + units;
      line.waiting.push({ item, cost: units, begins, ends: line.ends });
      line.cost += units;
      lines.set(account, line);
      size += 1;
      cost += units;
    },
    take(maxCost = Number.POSITIVE_INFINITY) {
      const best = next(maxCost);
      if (!best) return undefined;
      const { line, index, found } = best;
      line.waiting.splice(index, 1);
      line.cost -= found.cost;
      clock = Math.max(clock, found.begins);
      size -= 1;
      cost -= found.cost;
      if (size === 0) lines.clear();
      return found;
    },
  };
}

/** A capacity that accounts share, such as the number of running answers or the bytes of large bodies. */
interface Shares {
  /** Units in use. */
  readonly used: number;
  /** Whether no account can get any unit. */
  readonly isFull: boolean;
  /** Takes units for an account. Returns false when none are left for it. */
  take(account: string, units: number): boolean;
  /** Gives units back. */
  give(account: string, units: number): void;
}

/** The size of the reserve for accounts that have less than an equal share, as a fraction of the capacity. */
const reserved = 1 / 4;

/**
 * A single account may take the full capacity, and nothing is taken away from it. So there is a reserve beyond the capacity, from
 * which another account gets up to an equal share. Accounts that hold more than their share are refused until enough of it has
 * ended. In the end every account gets its equal share, or all that it wants if that is less.
 */
export function createShares(capacity: number): Shares {
  const held = new Map<string, number>();
  const maxUsed = Math.floor(capacity * (1 + reserved));
  let used = 0;
  return {
    get used() {
      return used;
    },
    get isFull() {
      return used >= maxUsed;
    },
    take(account, units) {
      const own = held.get(account) ?? 0;
      if (used + units > capacity) {
        const sharers = held.size + (own === 0 ? 1 : 0);
        if (used + units > maxUsed || own + units > capacity / sharers) return false;
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

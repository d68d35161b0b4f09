/** A queue that accounts share, each in its own line. */
interface FairQueue<Item> {
  readonly size: number;
  /** The cost of all that waits. */
  readonly cost: number;
  /** How many accounts wait. */
  readonly accounts: number;
  /** The cost of what waits for one account. */
  getCost(account: string): number;
  push(account: string, cost: number, item: Item): void;
  /** What is next, of those that cost at most so much. */
  take(maxCost?: number): { readonly item: Item; readonly cost: number } | undefined;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly cost: number;
  /** On the queue's own clock, which counts cost: when it would begin and end if all accounts were served at once. */
  readonly begins: number;
  readonly ends: number;
}

interface Line<Item> {
  readonly waiting: Waiting<Item>[];
  cost: number;
  /** When the last of it ends. */
  ends: number;
}

/**
 * Start-time fair queueing: what would end first is next, if every account were served at the same time with the same
 * speed. What costs little passes what costs much, and accounts with much in the queue wait for their own; nothing waits for
 * ever, because what waits keeps its time while the clock goes on.
 */
export function createFairQueue<Item>(): FairQueue<Item> {
  const lines = new Map<string, Line<Item>>();
  let clock = 0;
  let size = 0;
  let cost = 0;

  /** The line and place of what is next. */
  function next(maxCost: number): { line: Line<Item>; at: number; found: Waiting<Item> } | undefined {
    let best: { line: Line<Item>; at: number; found: Waiting<Item> } | undefined;
    for (const [account, line] of lines) {
      if (line.waiting.length === 0 && line.ends <= clock) lines.delete(account);
      const at = line.waiting.findIndex((one) => one.cost <= maxCost);
      const found = line.waiting[at];
      if (found && (!best || found.ends < best.found.ends)) best = { line, at, found };
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
      const { line, at, found } = best;
      line.waiting.splice(at, 1);
      line.cost -= found.cost;
      clock = Math.max(clock, found.begins);
      size -= 1;
      cost -= found.cost;
      if (size === 0) lines.clear();
      return found;
    },
  };
}

/** A capacity that accounts share: running answers, bytes of large bodies. */
interface Shares {
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

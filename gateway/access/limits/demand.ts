/** How long a block of a limit may be used, and how often demand is counted again. */
export const blockMs = 1000;
/** A limit that is used fewer times than this within that time gets no block: the database is asked at every use. */
const fewest = 3;

/** The recent demand for a limit, so that as much can be reserved for the next uses. Times in milliseconds. */
export interface Demand {
  add(now: number, cost: number): void;
  /** The demand within about one block's time; 0 when there was little. */
  recent(now: number): number;
}

export function createDemand(): Demand {
  let slot = 0;
  let current = { times: 0, cost: 0 };
  let last = { times: 0, cost: 0 };

  function roll(now: number): void {
    const number = Math.floor(now / blockMs);
    if (number === slot) return;
    last = number === slot + 1 ? current : { times: 0, cost: 0 };
    current = { times: 0, cost: 0 };
    slot = number;
  }

  return {
    add(now, cost) {
      roll(now);
      current = { times: current.times + 1, cost: current.cost + cost };
    },
    recent(now) {
      roll(now);
      const busier = current.times > last.times ? current : last;
      return busier.times < fewest ? 0 : busier.cost;
    },
  };
}

/** The usual cost of one use of a kind of limit, over all callers. It is used before the real cost is known. */
export interface UsualCost {
  readonly most: number;
  add(cost: number): void;
}

/** Each smaller cost lowers the remembered one to this share only, so a large cost is remembered for a few more uses. */
const kept = 0.9;

export function createUsualCost(): UsualCost {
  let most = 0;
  return {
    get most() {
      return most;
    },
    add(cost) {
      if (cost > 0) most = Math.max(cost, Math.floor(most * kept));
    },
  };
}

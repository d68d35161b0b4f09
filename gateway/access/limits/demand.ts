/** How long a block of a limit may be used, and how often demand is counted anew. */
export const blockMs = 1000;
/** Less often used than this within that time, a limit is asked for every single use. */
const fewest = 3;

/** How much was asked for of late, so that as much may be had in hand for what comes next. Times in milliseconds. */
export interface Demand {
  add(now: number, cost: number): void;
  /** What was asked for within about one block's time; 0 where it was asked for seldom. */
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

/** What one use of a kind of limit takes of late, whoever makes it: as much is asked for before somebody says how much. */
export interface UsualCost {
  readonly most: number;
  add(cost: number): void;
}

/** Dear uses are remembered through a few cheaper ones. */
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

/** Repeatable random numbers: the same seed gives the same data. */
export interface Random {
  /** Returns a number with 0 ≤ x < 1. */
  next(): number;
  /** Returns an integer, both ends included. */
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Picks the first items far more often than the last ones, as people use words. */
  often<T>(items: readonly T[]): T;
}

/** The Mulberry32 algorithm: 32 bits of state, which is enough for prose. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const itemAt = <T>(items: readonly T[], index: number): T => {
    const item = items[index];
    if (item === undefined) throw new RangeError('there is nothing to choose from');
    return item;
  };
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability) => next() < probability,
    pick: (items) => itemAt(items, Math.floor(next() * items.length)),
    often: (items) => itemAt(items, Math.floor(next() ** 3 * items.length)),
  };
}

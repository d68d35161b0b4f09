/** Who is present at this moment: many come and go, in any order. */
export interface SlotSet<T> extends Iterable<T> {
  /** Returns what takes it off again; called twice it does nothing. */
  add(one: T): () => void;
  readonly size: number;
}

/**
 * Places in an array, given to the next one when they are free. A `Set` that much comes and goes through makes itself a new
 * table every few dozen times; the old ones keep what was in them, and once one of them has outlived two young collections,
 * all that ever passed through is copied into the old heap, with everything it refers to.
 */
export function createSlotSet<T>(): SlotSet<T> {
  const places: (T | null)[] = [];
  const free: number[] = [];
  let size = 0;
  return {
    add(one) {
      const place = free.pop() ?? places.length;
      places[place] = one;
      size += 1;
      let present = true;
      return () => {
        if (!present) return;
        present = false;
        places[place] = null;
        free.push(place);
        size -= 1;
      };
    },
    get size() {
      return size;
    },
    *[Symbol.iterator]() {
      for (const one of places) if (one !== null && one !== undefined) yield one;
    },
  };
}

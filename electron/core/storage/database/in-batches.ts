import { setImmediate } from 'node:timers/promises';

const atOnce = 1_000;

/** Yields a list in parts. Between the parts, other work on this thread can run. */
export async function* inBatches<Item>(all: readonly Item[], most = atOnce): AsyncGenerator<readonly Item[], void> {
  for (let first = 0; first < all.length; first += most) {
    if (first > 0) await setImmediate();
    yield all.slice(first, first + most);
  }
}

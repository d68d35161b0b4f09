/**
 * The platform sends each statement when it's asked to, and a database takes nearly as long for one command as for thirty. This
 * file lets concurrent callers share one statement, as group commit lets transactions share one sync. With three instances on
 * PostgreSQL, it was part of a change from 0.81 to 0.29 statements a request and from 329 to 600 requests a second (decision
 * 047). To check: `batches.test.ts`, and `gateway/operations/cluster/round-trips.postgres.test.ts` for the number of round trips.
 */

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/** Up to this many batches in a row start without waiting for more work. */
const batchesBeforePause = 3;
const maxPauseMs = 5;

/**
 * Runs work in batches, one after the other. The returned function requests a batch and resolves when a batch that began
 * afterwards has ended. Requests that come in the same turn of the event loop, or while a batch is under way, share the next one.
 *
 * When batch follows batch, each waits as long as the one before took, unless there is enough work already: a statement costs
 * nearly the same for one command and for thirty.
 */
export function createBatches(run: () => Promise<void>, isEnough = () => false): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let isUnderWay = false;
  let inARow = 0;
  let tookMs = 0;

  async function runBatch(before: Promise<void>): Promise<void> {
    inARow = isUnderWay ? inARow + 1 : 0;
    await before.catch(() => {});
    await (inARow < batchesBeforePause || isEnough() ? turn() : pause(Math.min(tookMs, maxPauseMs)));
    next = null;
    isUnderWay = true;
    const began = performance.now();
    try {
      await run();
    } finally {
      tookMs = performance.now() - began;
      isUnderWay = false;
    }
  }

  return () => {
    if (next === null) {
      next = runBatch(last);
      last = next;
    }
    return next;
  };
}

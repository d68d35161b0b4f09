import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/** Who is alone never makes more rounds in a row than these. */
const busyRounds = 3;
const maxPauseMs = 5;

/**
 * Runs work in rounds, one after the other. What it returns asks for a round, and resolves when one has ended that began after
 * that: whatever comes in one turn of the loop, or while a round is under way, shares the next one. Where round follows round,
 * each waits for as long as the one before took, where there is not enough for it yet: a statement costs nearly the same for
 * one step and for thirty.
 */
export function createRounds(run: () => Promise<void>, isEnough = () => false): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let isUnderWay = false;
  let inARow = 0;
  let tookMs = 0;

  async function round(before: Promise<void>): Promise<void> {
    inARow = isUnderWay ? inARow + 1 : 0;
    await before.catch(() => {});
    await (inARow < busyRounds || isEnough() ? turn() : pause(Math.min(tookMs, maxPauseMs)));
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
      next = round(last);
      last = next;
    }
    return next;
  };
}

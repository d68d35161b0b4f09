import type { Emit } from './run.ts';

/** How long an answer had to wait for its client, and with it the upstream, which is not listened to meanwhile. */
export interface Backpressure {
  /** Hands parts on, and measures how long they have to wait. */
  readonly emit: Emit;
  /** Milliseconds in all, a wait that goes on included. */
  readonly ms: number;
  /** The client has lately kept the upstream waiting for long enough to be the cause where that breaks now. */
  readonly explainsBreak: boolean;
}

/** Any client keeps a quick upstream waiting for moments: no server breaks off for less than this in all. */
const noticedMs = 1_000;
/**
 * A connection that broke while it was not read shows it once all that came before is read; an upstream that gave up
 * without a word, once it was silent for a minute. After that a break has another cause.
 */
const recentMs = 120_000;

/** Measures how long a client keeps the parts of its answer waiting. */
export function measureBackpressure(push: Emit): Backpressure {
  let past = 0;
  let waiting = 0;
  let since = 0;
  let endedAt = Number.NEGATIVE_INFINITY;

  const begin = () => {
    if (waiting === 0) since = performance.now();
    waiting += 1;
  };
  const end = () => {
    waiting -= 1;
    if (waiting > 0) return;
    endedAt = performance.now();
    past += endedAt - since;
  };
  const total = () => past + (waiting > 0 ? performance.now() - since : 0);

  return {
    emit(parts) {
      const waits = push(parts);
      if (waits === undefined) return undefined;
      begin();
      return waits.finally(end);
    },
    get ms() {
      return total();
    },
    get explainsBreak() {
      return total() >= noticedMs && (waiting > 0 || performance.now() - endedAt < recentMs);
    },
  };
}

import type { AnswerPart } from './answer.ts';
import type { Emit } from './run.ts';

/** How long an answer had to wait for its client, and with it the upstream, which is not listened to meanwhile. */
export interface Backpressure {
  /** Hands parts on, and measures how long they have to wait. */
  emit(parts: readonly AnswerPart[]): Promise<void> | undefined;
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
export const measureBackpressure = (push: Emit): Backpressure => new MeasuredBackpressure(push);

/**
 * Its functions are methods: with a function of its own in a field each instance outlived young collections, and with it all
 * that belongs to its request (docs/decisions/053-what-outlives-a-request.md).
 */
class MeasuredBackpressure implements Backpressure {
  readonly #push: Emit;
  #past = 0;
  #waiting = 0;
  #since = 0;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(push: Emit) {
    this.#push = push;
  }

  emit(parts: readonly AnswerPart[]): Promise<void> | undefined {
    const waits = this.#push(parts);
    return waits && this.#measured(waits);
  }

  get ms(): number {
    return this.#past + (this.#waiting > 0 ? performance.now() - this.#since : 0);
  }

  get explainsBreak(): boolean {
    return this.ms >= noticedMs && (this.#waiting > 0 || performance.now() - this.#endedAt < recentMs);
  }

  #measured(waits: Promise<void>): Promise<void> {
    if (this.#waiting === 0) this.#since = performance.now();
    this.#waiting += 1;
    return waits.finally(() => {
      this.#waiting -= 1;
      if (this.#waiting > 0) return;
      this.#endedAt = performance.now();
      this.#past += this.#endedAt - this.#since;
    });
  }
}

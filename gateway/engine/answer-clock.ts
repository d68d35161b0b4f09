import type { Backpressure } from './backpressure.ts';

/** What is to happen when an answer's time is up, by whose doing it is. */
export interface LateAnswer {
  upstream(): void;
  client(): void;
}

/** A client may keep its answer waiting for half as long again as an upstream may speak: 15 minutes for 10 (wire contract §7). */
const clientFactor = 1.5;
/** How exactly the end is met where a client held the answer back, as a part of the whole. */
const grain = 0.01;

export interface AnswerClock {
  /** Gives the upstream so much in all, where that is more: a slower model is asked. */
  allow(totalMs: number): void;
  stop(): void;
}

/**
 * Times an answer. The upstream is late when it had `totalMs` to itself, the time in which its client kept it waiting left
 * out; the client is, when half as long again has passed and the upstream still is not late.
 */
export function startAnswerClock(
  usualMs: number,
  backpressure: Pick<Backpressure, 'ms'>,
  late: LateAnswer,
): AnswerClock {
  const startedAt = performance.now();
  let totalMs = usualMs;
  let clientIsLate = false;
  let timer = setTimeout(look, totalMs);

  function look(): void {
    const passed = performance.now() - startedAt;
    const longestMs = totalMs * clientFactor;
    const left = totalMs - (passed - backpressure.ms);
    if (left <= 0) {
      late.upstream();
      return;
    }
    if (!clientIsLate && passed >= longestMs) {
      clientIsLate = true;
      late.client();
    }
    const untilClient = clientIsLate ? left : Math.min(left, longestMs - passed);
    timer = setTimeout(look, Math.max(untilClient, totalMs * grain));
  }

  return {
    allow(more) {
      totalMs = Math.max(totalMs, more);
    },
    stop: () => clearTimeout(timer),
  };
}

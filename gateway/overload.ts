import { AppError } from '#shared/errors.ts';

/** How much work there is at this moment. */
export interface Work {
  /** Chat requests that run. */
  readonly answers: number;
  /** Statements that wait for a connection to the database. */
  readonly waiting: number;
  /** How late the event loop is, for a while already. */
  readonly lagMs: number;
}

/** From where on a process has more work than it can do well: more of it would only make everyone wait longer. */
export const workLimits: Work = { answers: 1_000, waiting: 1_000, lagMs: 1_000 };

const retryAfterMs = 2_000;

/**
 * Why a request cannot be taken at the moment, as 503 `server_overloaded` (wire contract §3.2), or null. It is asked before
 * anything of a request is looked at, so that saying no costs nearly nothing; another instance may say yes.
 */
export function overloadOf(work: Work, limits: Work, isChat: boolean): AppError | null {
  const full = isChat && work.answers >= limits.answers;
  if (!full && work.waiting < limits.waiting && work.lagMs < limits.lagMs) return null;
  const message = 'The gateway has more to do than it can at the moment. Nothing was done; try again shortly.';
  return new AppError('server_overloaded', message, { retryAfterMs });
}

const everyMs = 250;

/** How late a timer is that ticks `everyMs`. One pause (a collection, a laptop that slept) is no load: two in a row are. */
export function createLateness(started: number) {
  let due = started + everyMs;
  let last = 0;
  let lag = 0;
  return {
    tick(now: number) {
      const late = Math.max(0, now - due);
      lag = Math.min(late, last);
      last = late;
      due = now + everyMs;
    },
    lagMs: () => lag,
  };
}

/** Watches how late this process's event loop is. */
export function watchEventLoop(): { readonly lagMs: () => number; close(): void } {
  const lateness = createLateness(performance.now());
  const timer = setInterval(() => lateness.tick(performance.now()), everyMs);
  timer.unref();
  return { lagMs: lateness.lagMs, close: () => clearInterval(timer) };
}

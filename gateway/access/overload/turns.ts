import { createFairQueue } from '../../runtime/concurrency/fair-queue.ts';

/** What tells the time and calls back, so that a test can. */
export interface TurnClock {
  /** Milliseconds that pass for everyone. */
  now(): number;
  /** Milliseconds for which this thread had a processor. */
  ownMs(): number;
  /** Calls back after the events that are there now. */
  defer(next: () => void): void;
  /** Calls back in some milliseconds. */
  later(next: () => void, ms: number): void;
}

export interface TurnLimits {
  /** Units of work that begin in one turn of the event loop while one account is there. */
  readonly alone: number;
  /** The same while there are several: a short turn is what keeps one account's answers from waiting for another's. */
  readonly mixed: number;
  /** How long a request may have to wait for its turn. */
  readonly maxWaitMs: number;
}

/** Decides when a request's work may begin. */
export interface Turns {
  /** Undefined: at once. */
  enter(account: string, units: number): Promise<void> | undefined;
  /** Whether a further request of this account would wait longer than it may. */
  isLate(account: string): boolean;
  /** Requests that wait. */
  readonly waiting: number;
  /** What a unit of work takes at the moment, of all that the thread does. */
  readonly unitMs: number;
}

/** For so long after two accounts took turns there are several. */
const mixedMs = 1_000;
/** A measure of the speed takes at least so long. */
const measureMs = 100;
/** What a unit of work takes until it was measured. */
const unmeasuredMs = 1;
/** Between two looks at a database that has enough to do. */
const lookMs = 2;
/** At the most so many times its own processor time is what a thread takes counted as work: the rest others took. */
const maxForeign = 2;

/**
 * The event loop is the queue that everyone waits in, so it is kept short: in each turn work begins for a few requests, in
 * fair order over the accounts, and the others wait before anything of them is read. `isBusy` holds all of them back.
 */
export function createTurns(limits: TurnLimits, clock: TurnClock, isBusy: () => boolean): Turns {
  const queue = createFairQueue<() => void>();
  let open = false;
  let left = 0;
  let account = '';
  let mixedUntil = Number.NEGATIVE_INFINITY;
  let unitMs = unmeasuredMs;
  let measure: { readonly since: number; readonly own: number; units: number } | null = null;

  const turnSize = () =>
    mixedUntil === Number.NEGATIVE_INFINITY || clock.now() > mixedUntil ? limits.alone : limits.mixed;

  function see(one: string): void {
    if (one === account) return;
    if (account !== '') mixedUntil = clock.now() + mixedMs;
    account = one;
  }

  function openTurn(): void {
    open = true;
    left = turnSize();
    clock.defer(turn);
  }

  function turn(): void {
    left = turnSize();
    const began = release();
    watchSpeed(began);
    if (queue.size > 0 && isBusy()) clock.later(turn, lookMs);
    else if (queue.size > 0 || began > 0) clock.defer(turn);
    else open = false;
  }

  /** Lets those begin whose turn it is. Returns how many units that is. */
  function release(): number {
    let began = 0;
    while (left > 0 && queue.size > 0 && !isBusy()) {
      const next = queue.take();
      if (!next) break;
      left -= next.cost;
      began += next.cost;
      next.item();
    }
    return began;
  }

  /** Measures how fast work begins while there is more of it than turns: from there on it says what the thread can do. */
  function watchSpeed(began: number): void {
    if (queue.size === 0) {
      measure = null;
      return;
    }
    const now = clock.now();
    if (measure === null) {
      measure = { since: now, own: clock.ownMs(), units: 0 };
      return;
    }
    measure.units += began;
    const passed = now - measure.since;
    if (passed < measureMs || measure.units === 0) return;
    const own = clock.ownMs() - measure.own;
    unitMs = (unitMs + Math.min(passed, own * maxForeign) / measure.units) / 2;
    measure = null;
  }

  return {
    enter(one, units) {
      see(one);
      if (!open) openTurn();
      if (queue.size === 0 && left > 0 && !isBusy()) {
        left -= units;
        return undefined;
      }
      return new Promise((resolve) => queue.push(one, units, resolve));
    },
    isLate(one) {
      // So few wait for no longer than a turn or two, unless the thread has other work, which is no reason to refuse them.
      if (queue.size < limits.alone) return false;
      const own = queue.getCost(one) + 1;
      const before = Math.min(queue.cost + 1, own * (queue.accounts + 1));
      return before * unitMs > limits.maxWaitMs;
    },
    get waiting() {
      return queue.size;
    },
    get unitMs() {
      return unitMs;
    },
  };
}

import type { Admission, LimitStore, WindowState } from './limit-store.ts';
import {
  correct,
  emptyWindow,
  expire,
  type SlidingWindow,
  type Taken,
  take,
  untilEmpty,
  waitFor,
} from './sliding-window.ts';

/** Idle windows are swept when there are this many; beyond it the one unused for longest is forgotten. */
const windowLimit = 50_000;
/** With fewer nobody is forgotten soon, and who was here last does not matter. */
const orderedFrom = windowLimit / 2;

/** The limits of one process. What it forgets by a restart is at most a minute old. */
export function createMemoryStore(now: () => number): LimitStore {
  const windows = new Map<string, SlidingWindow>();
  const running = new Map<string, number>();

  function windowOf(key: string, time: number): SlidingWindow {
    const known = windows.get(key);
    if (known && windows.size < orderedFrom) {
      expire(known, time);
      return known;
    }
    if (known) windows.delete(key);
    else if (windows.size >= windowLimit) makeRoom(windows, time);
    const window = known ?? emptyWindow();
    windows.set(key, window);
    expire(window, time);
    return window;
  }

  return {
    take(key, limit, cost) {
      const time = now();
      const window = windowOf(key, time);
      const taken = take(window, limit, cost, time);
      const state = {
        limit,
        remaining: Math.max(0, limit - window.used),
        resetMs: untilEmpty(window, time),
      };
      if (taken) return new Taking(state, window, taken, cost);
      return { ...state, admitted: false, retryAfterMs: waitFor(window, limit, cost, time) };
    },
    enter(key, limit) {
      const others = running.get(key) ?? 0;
      if (others >= limit) return null;
      running.set(key, others + 1);
      let inside = true;
      return () => {
        if (!inside) return;
        inside = false;
        const left = (running.get(key) ?? 1) - 1;
        if (left > 0) running.set(key, left);
        else running.delete(key);
      };
    },
  };
}

class Taking implements Admission {
  readonly admitted = true;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
  readonly #window: SlidingWindow;
  readonly #taken: Taken;
  #counted: number;

  constructor({ limit, remaining, resetMs }: WindowState, window: SlidingWindow, taken: Taken, cost: number) {
    this.limit = limit;
    this.remaining = remaining;
    this.resetMs = resetMs;
    this.#window = window;
    this.#taken = taken;
    this.#counted = cost;
  }

  settle(cost: number): void {
    correct(this.#window, this.#taken, cost - this.#counted);
    this.#counted = cost;
  }
}

/** Maps keep the order of insertion, and every use inserts anew: the first ones were unused for longest. */
function makeRoom(windows: Map<string, SlidingWindow>, now: number): void {
  for (const [key, window] of windows) {
    expire(window, now);
    if (window.used > 0) break;
    windows.delete(key);
  }
  const [oldest] = windows.keys();
  if (windows.size >= windowLimit && oldest !== undefined) windows.delete(oldest);
}

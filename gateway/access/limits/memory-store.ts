import type { Admission, LimitStore, WindowState } from './limit-store.ts';

/** Idle windows are deleted when there are this many. Beyond that, the window that was unused for longest is forgotten. */
const windowLimit = 50_000;
/** With fewer windows none is forgotten soon, so their order does not matter. */
const orderedFrom = windowLimit / 2;

/** The limits of one process. What it forgets in a restart is at most a minute old. */
export function createMemoryStore(now: () => number): LimitStore {
  const windows = new Map<string, SlidingWindow>();
  const running = new Map<string, number>();

  function getWindow(key: string, time: number): SlidingWindow {
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
      const window = getWindow(key, time);
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

/** Maps keep the order of insertion, and every use inserts the window again: the first ones were unused for longest. */
function makeRoom(windows: Map<string, SlidingWindow>, now: number): void {
  for (const [key, window] of windows) {
    expire(window, now);
    if (window.used > 0) break;
    windows.delete(key);
  }
  const [oldest] = windows.keys();
  if (windows.size >= windowLimit && oldest !== undefined) windows.delete(oldest);
}

/** One minute: the window of every rate limit (wire contract §7). */
export const windowMs = 60_000;
/** Costs within this time expire together, at the time of the later one, so that a window has few entries. */
const mergeMs = 500;

interface Entry {
  readonly since: number;
  at: number;
  cost: number;
}

/**
 * The costs of the last minute. At most the limit is admitted in any 60 seconds, and a burst of the complete limit at once. A bucket that
 * refills while it is drained would admit twice as much (docs/decisions/004).
 */
interface SlidingWindow {
  readonly entries: Entry[];
  used: number;
}

/** A cost that was taken, for its correction once the real cost is known. */
export interface Taken {
  readonly entry: Entry;
}

export const emptyWindow = (): SlidingWindow => ({ entries: [], used: 0 });

/** Forgets costs that are older than a minute. A clock that was set back must not stretch the window: no cost lies in the future. */
export function expire(window: SlidingWindow, now: number): void {
  const { entries } = window;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (!entry || entry.at <= now) break;
    entry.at = now;
  }
  let gone = 0;
  for (const entry of entries) {
    if (entry.at + windowMs > now) break;
    window.used -= entry.cost;
    gone += 1;
  }
  if (gone > 0) entries.splice(0, gone);
}

/** Takes a cost if the limit allows it now, else returns null. The window must be expired to `now`. */
export function take(window: SlidingWindow, limit: number, cost: number, now: number): Taken | null {
  if (window.used + cost > limit) return null;
  if (cost === 0) return { entry: { since: now, at: now, cost } };
  window.used += cost;
  const last = window.entries.at(-1);
  if (last && now - last.since < mergeMs) {
    last.at = Math.max(last.at, now);
    last.cost += cost;
    return { entry: last };
  }
  const entry = { since: now, at: now, cost };
  window.entries.push(entry);
  return { entry };
}

/** Adds to a cost, or gives part of it back. A cost that has expired needs no correction. */
export function correct(window: SlidingWindow, { entry }: Taken, difference: number): void {
  if (!window.entries.includes(entry)) return;
  const added = Math.max(difference, -entry.cost);
  entry.cost += added;
  window.used += added;
}

/** Milliseconds until a cost is admitted if nothing else is taken: 0 to 60,000. A cost above the limit waits for an empty window. */
export function waitFor(window: SlidingWindow, limit: number, cost: number, now: number): number {
  let used = window.used;
  let wait = 0;
  for (const entry of window.entries) {
    if (used + cost <= limit) break;
    used -= entry.cost;
    wait = Math.max(0, entry.at + windowMs - now);
  }
  return wait;
}

/** Milliseconds until the window is empty. */
export const untilEmpty = ({ entries }: SlidingWindow, now: number): number =>
  Math.max(0, (entries.at(-1)?.at ?? now - windowMs) + windowMs - now);

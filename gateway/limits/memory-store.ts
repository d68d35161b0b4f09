import type { LimitStore, WindowState } from './limit-store.ts';
import { correct, emptyWindow, expire, type SlidingWindow, take, untilEmpty, waitFor } from './sliding-window.ts';

/** Idle windows are swept when there are this many; beyond it the one unused for longest is forgotten. */
const windowLimit = 50_000;

/** The limits of one process. What it forgets by a restart is at most a minute old. */
export function createMemoryStore(now: () => number): LimitStore {
  const windows = new Map<string, SlidingWindow>();
  const running = new Map<string, number>();

  function windowOf(key: string): SlidingWindow {
    const known = windows.get(key);
    if (known) {
      windows.delete(key);
    } else if (windows.size >= windowLimit) {
      makeRoom(windows, now());
    }
    const window = known ?? emptyWindow();
    windows.set(key, window);
    expire(window, now());
    return window;
  }

  const stateOf = (window: SlidingWindow, limit: number): WindowState => ({
    limit,
    remaining: Math.max(0, limit - window.used),
    resetMs: untilEmpty(window, now()),
  });

  return {
    async take(key, limit, cost) {
      const window = windowOf(key);
      const taken = take(window, limit, cost, now());
      if (!taken) {
        return { ...stateOf(window, limit), admitted: false, retryAfterMs: waitFor(window, limit, cost, now()) };
      }
      let counted = cost;
      return {
        ...stateOf(window, limit),
        admitted: true,
        async settle(actual) {
          correct(window, taken, actual - counted);
          counted = actual;
        },
      };
    },
    async enter(key, limit) {
      const others = running.get(key) ?? 0;
      if (others >= limit) return null;
      running.set(key, others + 1);
      let inside = true;
      return async () => {
        if (!inside) return;
        inside = false;
        const left = (running.get(key) ?? 1) - 1;
        if (left > 0) running.set(key, left);
        else running.delete(key);
      };
    },
  };
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

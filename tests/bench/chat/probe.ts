import type { CDPSession, Page } from '@playwright/test';

interface Probed {
  frames: number[];
  longTasks: number;
  keys: number[];
}

declare global {
  interface Window {
    probed: Probed;
  }
}

/**
 * Runs in each page before its own code. Records the times between frames, tasks over 50 ms, and the time from a key
 * until the frame that shows it.
 */
export function probe(): void {
  window.probed = { frames: [], longTasks: 0, keys: [] };
  let last = performance.now();
  const frame = (now: number) => {
    window.probed.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => {
    window.probed.longTasks += list.getEntries().length;
  }).observe({ type: 'longtask' });
  addEventListener(
    'keydown',
    ({ timeStamp }) =>
      requestAnimationFrame(() => setTimeout(() => window.probed.keys.push(performance.now() - timeStamp))),
    { capture: true },
  );
}

export interface Watched {
  /** The share of elapsed time in which the main thread worked, in percent. */
  readonly busyPercent: number;
  readonly frameP99Ms: number;
  readonly tasksOver50Ms: number;
  readonly keyToPaintP95Ms: number;
}

/** Returns what the page's main thread did while `act` ran. */
export async function watched(page: Page, cdp: CDPSession, act: () => Promise<void>): Promise<Watched> {
  await page.evaluate(() => {
    Object.assign(window.probed, { frames: [], longTasks: 0, keys: [] });
  });
  const [busy, start] = [await busySeconds(cdp), performance.now()];
  await act();
  const share = (await busySeconds(cdp)) - busy;
  const seconds = (performance.now() - start) / 1000;
  const { frames, longTasks, keys } = await page.evaluate(() => window.probed);
  return {
    busyPercent: (100 * share) / seconds,
    frameP99Ms: quantile(frames, 0.99),
    tasksOver50Ms: longTasks,
    keyToPaintP95Ms: quantile(keys, 0.95),
  };
}

async function busySeconds(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
}

/** Returns the value that this share of the values doesn't exceed. */
export const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

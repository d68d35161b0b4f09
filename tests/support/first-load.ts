import type { Page } from 'playwright';

export interface FirstLoad {
  /**
   * Bytes received by then, bodies as they were transferred and headers; `allBytes` counts until nothing more
   * arrived. Fonts always count as part of `bytes`: the browser requests them when it draws text, which may be
   * shortly before or after this moment.
   */
  readonly bytes: number;
  readonly allBytes: number;
  /** Milliseconds since the start of the navigation. */
  readonly ms: number;
}

const selectors = { composer: 'textarea:enabled', messages: '[data-message] .prose > *' };

/**
 * Loads the open page again as if it had never been loaded, until the composer can be used or messages are
 * shown. Works in Chromium only.
 */
export async function measureFirstLoad(page: Page, until: keyof typeof selectors): Promise<FirstLoad> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.addInitScript(
    ([mark, selector]) => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector(selector)) return;
        performance.mark(mark);
        observer.disconnect();
      }).observe(document, { subtree: true, childList: true, attributeFilter: ['disabled'] });
    },
    [until, selectors[until]] as const,
  );
  await page.reload({ waitUntil: 'networkidle' });
  await session.detach();
  return page.evaluate((mark) => {
    const ms = performance.getEntriesByName(mark)[0]?.startTime ?? Number.NaN;
    const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const sum = (entries: readonly PerformanceEntry[]) =>
      entries.reduce((bytes, entry) => bytes + (entry as PerformanceResourceTiming).transferSize, 0);
    const before = loaded.filter(
      (entry) => (entry as PerformanceResourceTiming).responseEnd <= ms || entry.name.endsWith('.woff2'),
    );
    return { bytes: sum(before), allBytes: sum(loaded), ms };
  }, until);
}

/** Returns the bytes received since the navigation began. */
export function loadedBytes(page: Page): Promise<number> {
  return page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce(
      (bytes, entry) => bytes + (entry as PerformanceResourceTiming).transferSize,
      0,
    ),
  );
}

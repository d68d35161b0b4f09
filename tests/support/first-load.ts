import type { Page } from 'playwright';

export interface FirstLoad {
  /**
   * Bytes that had come by then, and until nothing more came: bodies as they were sent, and heads. Fonts are among the first in any
   * case: the browser asks for them when it draws words, which may be a moment before or after.
   */
  readonly bytes: number;
  readonly allBytes: number;
  /** From the beginning of the navigation. */
  readonly ms: number;
}

const selectors = { composer: 'textarea:enabled', messages: '[data-message] .prose > *' };

/** Loads the page that is open once more as if it had never been loaded, until the composer can be used or messages are shown. In Chromium. */
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

/** Bytes that have come since the navigation began. */
export function loadedBytes(page: Page): Promise<number> {
  return page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce(
      (bytes, entry) => bytes + (entry as PerformanceResourceTiming).transferSize,
      0,
    ),
  );
}

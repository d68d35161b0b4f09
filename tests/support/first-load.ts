import type { Page } from 'playwright';

export interface FirstLoad {
  /** Bytes that had come until the composer could be used, and until nothing more came: bodies as they were sent, and heads. */
  readonly usableBytes: number;
  readonly allBytes: number;
  /** From the beginning of the navigation until the composer could be used. */
  readonly usableMs: number;
}

/** Loads the page that is open once more as if it had never been loaded. In Chromium. */
export async function measureFirstLoad(page: Page): Promise<FirstLoad> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const field = document.querySelector('textarea');
      if (!field || field.disabled) return;
      performance.mark('usable');
      observer.disconnect();
    }).observe(document, { subtree: true, childList: true });
  });
  await page.reload({ waitUntil: 'networkidle' });
  await session.detach();
  return page.evaluate(() => {
    const usableMs = performance.getEntriesByName('usable')[0]?.startTime ?? Number.NaN;
    const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const sum = (entries: readonly PerformanceEntry[]) =>
      entries.reduce((bytes, entry) => bytes + (entry as PerformanceResourceTiming).transferSize, 0);
    const before = loaded.filter((entry) => (entry as PerformanceResourceTiming).responseEnd <= usableMs);
    return { usableBytes: sum(before), allBytes: sum(loaded), usableMs };
  });
}

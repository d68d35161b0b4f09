const entry = 'portico:open';

/**
 * Whether the page that this window showed before has ended without being left: its process died or was ended. Call it once, when
 * the page begins.
 */
export function endedUnsaid(): boolean {
  // A tab that was made from another one has its entries too, but was not loaded again.
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const unsaid = sessionStorage.getItem(entry) !== null && navigation?.type === 'reload';
  sessionStorage.setItem(entry, '');
  addEventListener('pagehide', () => sessionStorage.removeItem(entry));
  return unsaid;
}

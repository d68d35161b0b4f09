const entry = 'portico:open';

/**
 * Whether the page that this window showed before crashed or was killed, so that it had no `pagehide`. Call it once,
 * when the page begins.
 */
export function endedUnsaid(): boolean {
  // A duplicated tab copies the session storage, but is no reload.
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const unsaid = sessionStorage.getItem(entry) !== null && navigation?.type === 'reload';
  sessionStorage.setItem(entry, '');
  addEventListener('pagehide', () => sessionStorage.removeItem(entry));
  return unsaid;
}

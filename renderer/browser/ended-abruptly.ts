const entry = 'portico:open';

/**
 * Returns whether the page that this window showed before crashed or was killed, so that it had no `pagehide`. Call it
 * once, when the page loads.
 */
export function endedAbruptly(): boolean {
  // A duplicated tab copies the session storage, but is no reload.
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const unfinished = sessionStorage.getItem(entry) !== null && navigation?.type === 'reload';
  sessionStorage.setItem(entry, '');
  addEventListener('pagehide', () => sessionStorage.removeItem(entry));
  return unfinished;
}

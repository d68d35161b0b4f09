const maxDeaths = 5;
const withinMs = 60_000;
const firstPauseMs = 250;

/**
 * Creates a function that returns the delay before a crashed process is restarted. There is none the first time; then
 * it doubles. Null means that it crashed too often within a minute.
 */
export function restartLimit(elapsed: () => number): () => number | null {
  let deaths: number[] = [];
  return () => {
    const now = elapsed();
    deaths = [...deaths.filter((time) => now - time < withinMs), now];
    const again = deaths.length - 1;
    if (again >= maxDeaths) return null;
    return again === 0 ? 0 : firstPauseMs * 2 ** (again - 1);
  };
}

const maxDeaths = 5;
const withinMs = 60_000;
const firstPauseMs = 250;

/**
 * The delay before a crashed process is restarted: none the first time, then doubling. Null: it crashed too often
 * within a minute.
 */
export function restartLimit(elapsed: () => number): () => number | null {
  let deaths: number[] = [];
  return () => {
    const now = elapsed();
    deaths = [...deaths.filter((at) => now - at < withinMs), now];
    const again = deaths.length - 1;
    if (again >= maxDeaths) return null;
    return again === 0 ? 0 : firstPauseMs * 2 ** (again - 1);
  };
}

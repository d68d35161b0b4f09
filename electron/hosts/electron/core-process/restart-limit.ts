const mostDeaths = 5;
const withinMs = 60_000;
const firstPauseMs = 250;

/**
 * How long to wait before something that has died is started again: not at all the first time, then twice as long each time.
 * Null: it has died so often within a minute that it would go on dying.
 */
export function restartLimit(elapsed: () => number): () => number | null {
  let deaths: number[] = [];
  return () => {
    const now = elapsed();
    deaths = [...deaths.filter((at) => now - at < withinMs), now];
    const again = deaths.length - 1;
    if (again >= mostDeaths) return null;
    return again === 0 ? 0 : firstPauseMs * 2 ** (again - 1);
  };
}

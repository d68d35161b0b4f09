// Runs before the first paint, so that a dark window is never white first. `renderer/browser/local-settings.ts` writes
// what it reads.
(() => {
  try {
    const kept = JSON.parse(localStorage.getItem('portico') ?? '{}');
    if (kept.theme === 'light' || kept.theme === 'dark') document.documentElement.dataset.theme = kept.theme;
    if (kept.density === 'compact') document.documentElement.dataset.density = kept.density;
  } catch {
    // Storage is off or contains something else, so the system's theme applies.
  }
})();

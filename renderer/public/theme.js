// Runs before the first paint, so that a dark window is never white first. What it reads is written by lib/kept.ts.
(() => {
  try {
    const kept = JSON.parse(localStorage.getItem('portico') ?? '{}');
    if (kept.theme === 'light' || kept.theme === 'dark') document.documentElement.dataset.theme = kept.theme;
    if (kept.density === 'compact') document.documentElement.dataset.density = kept.density;
  } catch {
    // Storage is off or holds something else: the system's theme is right.
  }
})();

/** The parts of the window in reading order: sidebar, page or thread, composer, toasts. */
const regions =
  'aside[data-region], main[data-region] [role="log"], main[data-region]:not(:has([role="log"])), textarea[data-region]';

/** Moves the focus to the next part of the window, or the one before. */
export function nextRegion(root: Document, backwards: boolean): void {
  const all = [...root.querySelectorAll<HTMLElement>(regions)];
  const here = all.findLastIndex((region) => region === root.activeElement || region.contains(root.activeElement));
  const step = backwards ? -1 : 1;
  const next = all[(here + step + all.length) % all.length] ?? all[0];
  next?.focus();
}

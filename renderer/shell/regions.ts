import { getHandle } from '../handles/handles.ts';

/** Moves the focus to the next part of the window in reading order, or to the one before. */
export function focusNextRegion(backwards: boolean): void {
  const parts = [getHandle('sidebar'), getHandle('thread') ?? getHandle('page'), getHandle('composer')];
  const all = parts.flatMap((part) => part?.element() ?? []);
  const here = all.findLastIndex((region) => region.contains(document.activeElement));
  const step = backwards ? -1 : 1;
  const next = all[(here + step + all.length) % all.length] ?? all[0];
  next?.focus();
}

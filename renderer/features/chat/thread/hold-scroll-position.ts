import type { Virtualizer } from '@tanstack/react-virtual';

interface HeldPosition {
  readonly rows: Virtualizer<HTMLDivElement, Element>;
  readonly scroller: HTMLElement | null;
  readonly index: number;
  /** Pixels of the row above the viewport, which may change as it is measured. */
  readonly offsetPx: () => number;
  /** Whether what is loaded is as the core has it now: until then, it may be longer in a moment. */
  readonly isFresh: () => boolean;
  /** `settled`: nothing moves any more. Else it was stopped. */
  readonly done: (settled: boolean) => void;
}

const stableFrames = 4;
const maxFrames = 180;

/**
 * Scrolls a row to the top and holds it there until its surroundings are loaded, parsed and measured, or the reader scrolls.
 * Returns a function that stops it.
 */
export function holdScrollPosition({ rows, scroller, index, offsetPx, isFresh, done }: HeldPosition): () => void {
  let over = false;
  let frames = 0;
  let stable = 0;
  const end = (settled: boolean) => {
    if (over) return;
    over = true;
    for (const name of ['wheel', 'keydown', 'pointerdown'] as const) scroller?.removeEventListener(name, stop);
    done(settled);
  };
  const stop = () => end(false);
  /** Above the first row there is room, which belongs to the top. */
  const getPlace = (px: number) =>
    index === 0 && px === 0 ? 0 : (rows.getOffsetForIndex(index, 'start')?.[0] ?? 0) + px;
  const step = () => {
    if (over || !scroller) return stop();
    const wanted = Math.min(getPlace(offsetPx()), Math.max(0, rows.getTotalSize() - scroller.clientHeight));
    const there = Math.abs(scroller.scrollTop - wanted) <= 1;
    // Unparsed text will be taller.
    const parsed = scroller.querySelector('.prose[aria-busy]') === null;
    stable = there && parsed && isFresh() ? stable + 1 : 0;
    if (!there) rows.scrollToOffset(wanted);
    if (stable >= stableFrames || frames++ >= maxFrames) end(stable >= stableFrames);
    else requestAnimationFrame(step);
  };
  for (const name of ['wheel', 'keydown', 'pointerdown'] as const)
    scroller?.addEventListener(name, stop, { once: true });
  rows.scrollToIndex(index, { align: 'start' });
  step();
  return stop;
}

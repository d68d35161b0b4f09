const getElement = (range: Range | null): Element | null =>
  range?.startContainer.parentElement?.closest('[data-index]') ?? null;

/** The row of the thread that it stands in. */
export function toRow(range: Range | null): number | null {
  const index = getElement(range)?.getAttribute('data-index');
  return index == null ? null : Number(index);
}

export function isInView(range: Range | null, scroller: Element | null): boolean {
  if (!range || !scroller) return false;
  const [place, view] = [range.getBoundingClientRect(), scroller.getBoundingClientRect()];
  return place.height > 0 && place.top >= view.top && place.bottom <= view.bottom;
}

/** Scrolls what it stands in to the side, such as a block of code with long lines. */
export function showAcross(range: Range | null): void {
  const row = getElement(range);
  for (let box = range?.startContainer.parentElement; range && box && box !== row; box = box.parentElement) {
    if (box.scrollWidth <= box.clientWidth) continue;
    const [place, view] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
    if (place.left < view.left || place.right > view.right) box.scrollLeft += place.left - view.left - view.width / 3;
  }
}

/**
 * Tells how many pixels of this row are above the viewport for what was found in it to be seen: none, if it stands near
 * to its beginning. While it is drawn anew it is where it was.
 */
export function pxAbove(range: () => Range | null, index: number, scroller: Element | null): () => number {
  let px = 0;
  return () => {
    const found = range();
    const row = getElement(found);
    if (!found || found.collapsed || !row || !scroller || toRow(found) !== index) return px;
    showAcross(found);
    const place = found.getBoundingClientRect().top - row.getBoundingClientRect().top;
    px = place < scroller.clientHeight / 2 ? 0 : place - scroller.clientHeight / 3;
    return px;
  };
}

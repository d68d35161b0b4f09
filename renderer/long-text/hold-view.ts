/**
 * Keeps what is being read in place when an element above the viewport changes its height. Call it before the next
 * paint.
 */
export function holdView(element: Element, beforePx: number): void {
  const scroller = getScroller(element);
  // Otherwise the browser anchors the scroll position itself.
  if (!scroller || getComputedStyle(scroller).overflowAnchor !== 'none') return;
  const { top, height } = element.getBoundingClientRect();
  const viewTop = scroller.getBoundingClientRect().top;
  const grownPx = height - beforePx;
  // If the whole row is above the viewport, the thread adjusts the scroll position.
  const row = element.closest('[data-index]')?.getBoundingClientRect();
  if (row && top + beforePx <= viewTop && row.bottom - grownPx > viewTop) scroller.scrollTop += grownPx;
}

function getScroller(element: Element): Element | null {
  let parent = element.parentElement;
  while (parent && !/auto|scroll/.test(getComputedStyle(parent).overflowY)) parent = parent.parentElement;
  return parent;
}

/** It has the focus or a part of the selection: it must stay in the document. */
export function isHeld(element: Element): boolean {
  const selection = document.getSelection();
  const selected = selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
  return selected || element.contains(document.activeElement);
}

/** What stands above the view may change its height: what is being read stays where it is. Call it before the next paint. */
export function holdView(element: Element, beforePx: number): void {
  const scroller = scrollerOf(element);
  // Elsewhere the browser does it.
  if (!scroller || getComputedStyle(scroller).overflowAnchor !== 'none') return;
  const { top, height } = element.getBoundingClientRect();
  const viewTop = scroller.getBoundingClientRect().top;
  const grownPx = height - beforePx;
  // Where the whole row stands above, the thread keeps the view itself.
  const row = element.closest('[data-index]')?.getBoundingClientRect();
  if (row && top + beforePx <= viewTop && row.bottom - grownPx > viewTop) scroller.scrollTop += grownPx;
}

function scrollerOf(element: Element): Element | null {
  let parent = element.parentElement;
  while (parent && !/auto|scroll/.test(getComputedStyle(parent).overflowY)) parent = parent.parentElement;
  return parent;
}

/** Somebody has selected in it, or is at a button of it: it must not go. */
export function isHeld(element: Element): boolean {
  const selection = document.getSelection();
  const selected = selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
  return selected || element.contains(document.activeElement);
}

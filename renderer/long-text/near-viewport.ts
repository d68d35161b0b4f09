/** Content is rendered this far outside the viewport. */
const marginPx = 400;

const readers = new Map<Element, (near: boolean) => void>();
let observer: IntersectionObserver | null = null;

/** Reports whether an element is near the viewport, now and on each change. Returns a function that stops it. */
export function watchNear(element: Element, tell: (near: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) readers.get(target)?.(isIntersecting);
    },
    // The margin applies to nested scroll containers too.
    { scrollMargin: `${marginPx}px` } as IntersectionObserverInit,
  );
  const watching = observer;
  readers.set(element, tell);
  watching.observe(element);
  return () => {
    readers.delete(element);
    watching.unobserve(element);
  };
}

/** The same synchronously, for the first frame; considers only the window, not scroll containers. */
export function isNear(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > -marginPx && top < innerHeight + marginPx;
}

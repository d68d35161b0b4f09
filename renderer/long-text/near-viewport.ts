/** So far beyond what is seen, something is drawn already. */
const marginPx = 400;

const readers = new Map<Element, (near: boolean) => void>();
let observer: IntersectionObserver | null = null;

/** Tells whether an element is about to be seen, now and whenever that changes. Returns what ends it. */
export function watchNear(element: Element, tell: (near: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) readers.get(target)?.(isIntersecting);
    },
    // The margin holds for every box that scrolls around it, too.
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

/** The same at once, for the first frame: as far as the window itself tells. */
export function isNear(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > -marginPx && top < innerHeight + marginPx;
}

import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { drawnOnCall } from './draw-now.ts';
import { drawSoon, mayDraw } from './draw-queue.ts';
import { sliceWeight } from './weight.ts';

/** Content is rendered this far outside the viewport. */
const marginPx = 400;

const readers = new Map<Element, (near: boolean) => void>();
let observer: IntersectionObserver | null = null;

/** Reports whether an element is near the viewport, now and on each change. Returns a function that stops it. */
function watchNear(element: Element, report: (near: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) readers.get(target)?.(isIntersecting);
    },
    // The margin applies to nested scroll containers too.
    { scrollMargin: `${marginPx}px` } as IntersectionObserverInit,
  );
  const watching = observer;
  readers.set(element, report);
  watching.observe(element);
  return () => {
    readers.delete(element);
    watching.unobserve(element);
  };
}

/** Does the same synchronously for the first frame. It considers only the window, not scroll containers. */
function isNear(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > -marginPx && top < innerHeight + marginPx;
}

interface NearBoxProps {
  /** The tag of its element. */
  as?: 'div' | 'li' | 'tbody';
  className?: string | undefined;
  /** The weight of its content; see `weight.ts`. */
  weight: number;
  /** Estimated height in pixels. */
  guessPx: () => number;
  /** The object it shows, which serves as the key for remembering its last height. */
  of?: object | undefined;
  /**
   * Renders even outside the viewport, as soon as the budget allows. Used for a single box and for one that still
   * grows.
   */
  first: boolean;
  /** Renders the beginning of the content up to this weight. Heavy content is drawn slice by slice. */
  children: (maxWeight: number) => ReactNode;
}

const heights = new WeakMap<object, number>();

/**
 * Renders its content only near the viewport, and an empty box of the same height otherwise. So the size of the window,
 * not the length of a message, bounds layout, style and memory.
 */
export function LazyBox({ as: Tag = 'div', className, weight, guessPx, of, first, children }: NearBoxProps) {
  'use no memo';
  const box = useRef<HTMLElement>(null);
  const heightPx = useRef<number | null>(null);
  const slices = Math.max(1, Math.ceil(weight / sliceWeight));
  const stepWeight = Math.min(weight, sliceWeight);
  const [drawnSlices, setDrawnSlices] = useState(() => (first && mayDraw(stepWeight) ? 1 : 0));
  const drawn = drawnSlices > 0;
  const whole = drawnSlices >= slices;
  if (!drawn) heightPx.current ??= (of && heights.get(of)) ?? guessPx();
  const before = useRef({ drawnSlices, heightPx: 0 });

  // Runs before the first paint, so that visible content appears in its final state.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, when it is mounted
  useLayoutEffect(() => {
    if (!drawn && box.current && isNear(box.current) && mayDraw(stepWeight)) setDrawnSlices(1);
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    const grown = element && drawnSlices > before.current.drawnSlices;
    // The thread adjusts for whole messages itself.
    if (grown && !first)
      holdView(element, before.current.drawnSlices > 0 ? before.current.heightPx : (heightPx.current ?? 0));
    before.current = {
      drawnSlices,
      heightPx: element && !whole && !first ? element.getBoundingClientRect().height : 0,
    };
  }, [drawnSlices, whole, first]);

  useLayoutEffect(() => {
    if (!whole && box.current) return drawnOnCall(box.current, () => setDrawnSlices(Number.POSITIVE_INFINITY));
  }, [whole]);

  useEffect(() => {
    if (drawn && !whole) return drawSoon(stepWeight, () => setDrawnSlices(drawnSlices + 1));
  }, [drawn, whole, drawnSlices, stepWeight]);

  useEffect(() => {
    const element = box.current;
    if (!element || (first && drawn)) return;
    const begin = () => setDrawnSlices((count) => Math.max(count, 1));
    if (first) return drawSoon(stepWeight, begin);
    let giveUp = () => {};
    const leave = watchNear(element, (near) => {
      giveUp();
      if (near && !drawn) giveUp = drawSoon(stepWeight, begin);
      if (near || !drawn || isHeld(element)) return;
      heightPx.current = element.getBoundingClientRect().height;
      if (of) heights.set(of, heightPx.current);
      setDrawnSlices(0);
    });
    return () => {
      giveUp();
      leave();
    };
  }, [drawn, first, of, stepWeight]);

  const height = heightPx.current ?? 0;
  return (
    <Tag
      ref={box as RefObject<never>}
      className={className}
      style={whole ? undefined : drawn ? { minHeight: height } : { height }}
      data-empty={!whole || undefined}
    >
      {drawn && children(whole ? Number.POSITIVE_INFINITY : drawnSlices * sliceWeight)}
      {!drawn && Tag === 'tbody' && <EmptyRow height={height} />}
    </Tag>
  );
}

/** A row group has no height of its own, so this row provides it. */
const EmptyRow = ({ height }: { height: number }) => (
  <tr aria-hidden>
    <td style={{ height, padding: 0 }} />
  </tr>
);

/**
 * Scrolls so that the text being read stays in place when an element above the viewport changes its height. Call it
 * before the next paint.
 */
function holdView(element: Element, beforePx: number): void {
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

/** True if the element has the focus or a part of the selection, so it must stay in the document. */
function isHeld(element: Element): boolean {
  const selection = document.getSelection();
  const selected = selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
  return selected || element.contains(document.activeElement);
}

import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { drawnOnCall } from './draw-now.ts';
import { drawSoon, mayDraw } from './draw-queue.ts';
import { holdView, isHeld } from './hold-view.ts';
import { isNear, watchNear } from './near-viewport.ts';
import { sliceWeight } from './weight.ts';

interface NearBoxProps {
  /** Its element. */
  as?: 'div' | 'li' | 'tbody';
  className?: string | undefined;
  /** Weight of its content; see `weight.ts`. */
  weight: number;
  /** Estimated height in pixels. */
  guessPx: () => number;
  /** The object it shows. Its last height is remembered by it. */
  of?: object | undefined;
  /** Rendered even outside the viewport, as soon as the budget allows: a single box, or one that still grows. */
  first: boolean;
  /** Content heavier than a slice is drawn a slice at a time: its beginning, up to this weight. */
  children: (maxWeight: number) => ReactNode;
}

const heights = new WeakMap<object, number>();

/**
 * Content that is rendered only near the viewport; elsewhere an empty box of the same height. So layout, style and
 * memory are bounded by what fits into the window, not by the length of a message.
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

  // Before the first paint, so that it appears in its final state.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it comes into being
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

/** A row group has no height of its own. */
const EmptyRow = ({ height }: { height: number }) => (
  <tr aria-hidden>
    <td style={{ height, padding: 0 }} />
  </tr>
);

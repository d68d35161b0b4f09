import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { drawnOnCall } from './draw-now.ts';
import { drawSoon, mayDraw } from './draw-queue.ts';
import { holdView, isHeld } from './hold-view.ts';
import { isNear, watchNear } from './near-viewport.ts';

interface NearBoxProps {
  className?: string | undefined;
  /** Weight of its content; see `weight.ts`. */
  weight: number;
  /** Estimated height in pixels. */
  guessPx: () => number;
  /** The object it shows. Its last height is remembered by it. */
  of?: object | undefined;
  /** Rendered even outside the viewport, as soon as the budget allows: a single box, or one that still grows. */
  first: boolean;
  children: () => ReactNode;
}

const heights = new WeakMap<object, number>();

/**
 * Content that is rendered only near the viewport; elsewhere an empty box of the same height. So layout, style and
 * memory are bounded by what fits into the window, not by the length of a message.
 */
export function LazyBox({ className, weight, guessPx, of, first, children }: NearBoxProps) {
  'use no memo';
  const box = useRef<HTMLDivElement>(null);
  const heightPx = useRef<number | null>(null);
  const [drawn, setDrawn] = useState(() => first && mayDraw(weight));
  if (!drawn) heightPx.current ??= (of && heights.get(of)) ?? guessPx();
  const wasDrawn = useRef(drawn);

  // Before the first paint, so that it appears in its final state.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it comes into being
  useLayoutEffect(() => {
    if (!drawn && box.current && isNear(box.current) && mayDraw(weight)) setDrawn(true);
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    // The thread adjusts for whole messages itself.
    if (element && drawn && !wasDrawn.current && !first) holdView(element, heightPx.current ?? 0);
    wasDrawn.current = drawn;
  }, [drawn, first]);

  useLayoutEffect(() => {
    if (!drawn && box.current) return drawnOnCall(box.current, () => setDrawn(true));
  }, [drawn]);

  useEffect(() => {
    const element = box.current;
    if (!element || (first && drawn)) return;
    if (first) return drawSoon(weight, () => setDrawn(true));
    let giveUp = () => {};
    const leave = watchNear(element, (near) => {
      giveUp();
      if (near && !drawn) giveUp = drawSoon(weight, () => setDrawn(true));
      if (near || !drawn || isHeld(element)) return;
      heightPx.current = element.getBoundingClientRect().height;
      if (of) heights.set(of, heightPx.current);
      setDrawn(false);
    });
    return () => {
      giveUp();
      leave();
    };
  }, [drawn, first, of, weight]);

  return (
    <div
      ref={box}
      className={className}
      style={drawn ? undefined : { height: heightPx.current ?? 0 }}
      data-empty={!drawn || undefined}
    >
      {drawn && children()}
    </div>
  );
}

import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { drawSoon, mayDraw } from './draw-queue.ts';
import { holdView, isHeld } from './hold-view.ts';
import { isNear, watchNear } from './near-viewport.ts';

interface NearBoxProps {
  className?: string | undefined;
  /** Of what is in it; see `weight.ts`. */
  weight: number;
  /** About how tall it will be, in pixels. */
  guessPx: () => number;
  /** What it is of: it is as tall as that was when it was drawn before. */
  of?: object | undefined;
  /** The only one, or one that grows: it is drawn wherever it is, as soon as the budget has room for it. */
  first: boolean;
  /** Called when it is drawn. */
  children: () => ReactNode;
}

const heights = new WeakMap<object, number>();

/**
 * A part of something long that is drawn only while it is near to what is seen; else it is an empty box of its height. So
 * what the window lays out, styles and keeps is bounded by what fits into it, not by how long a message is.
 */
export function LazyBox({ className, weight, guessPx, of, first, children }: NearBoxProps) {
  'use no memo';
  const place = useRef<HTMLDivElement>(null);
  const heightPx = useRef<number | null>(null);
  const [drawn, setDrawn] = useState(() => first && mayDraw(weight));
  if (!drawn) heightPx.current ??= (of && heights.get(of)) ?? guessPx();
  const wasDrawn = useRef(drawn);

  // Before the first paint: what is opened appears at once as it stays.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it comes into being
  useLayoutEffect(() => {
    if (!drawn && place.current && isNear(place.current) && mayDraw(weight)) setDrawn(true);
  }, []);

  useLayoutEffect(() => {
    const element = place.current;
    // Of a whole message the thread knows itself.
    if (element && drawn && !wasDrawn.current && !first) holdView(element, heightPx.current ?? 0);
    wasDrawn.current = drawn;
  }, [drawn, first]);

  useEffect(() => {
    const element = place.current;
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
      ref={place}
      className={className}
      style={drawn ? undefined : { height: heightPx.current ?? 0 }}
      data-empty={!drawn || undefined}
    >
      {drawn && children()}
    </div>
  );
}

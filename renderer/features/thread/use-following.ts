import { type RefObject, useEffect, useState } from 'react';

const near = 48;
const isAtEnd = (element: HTMLElement) => element.scrollHeight - element.clientHeight - element.scrollTop <= near;

/**
 * Whether the thread follows its end. Any scrolling up by the reader stops it at once; reaching the end starts it
 * again, in a `turn` whose question stands at the top only if the reader scrolls there, and not while the thread is
 * `holding` a place.
 */
export function useFollowing(
  scroller: RefObject<HTMLElement | null>,
  atFirst: boolean,
  turn: RefObject<boolean>,
  holding: RefObject<unknown>,
) {
  const [following, setFollowing] = useState(atFirst);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let last = element.scrollTop;
    let touched = 0;
    const away = () => setFollowing(false);
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY > 0) onPointer();
      // Not by where it is: the browser scrolls before the page hears of it, and may be at the top already.
      else if (event.deltaY < 0 && element.scrollHeight > element.clientHeight) away();
    };
    const onKey = (event: KeyboardEvent) => {
      if (['ArrowUp', 'PageUp', 'Home'].includes(event.key) && element.contains(event.target as Node)) away();
      else if (['ArrowDown', 'PageDown', 'End'].includes(event.key)) onPointer();
    };
    const onPointer = () => {
      touched = performance.now();
    };
    const onScroll = () => {
      const up = element.scrollTop < last - 1;
      last = element.scrollTop;
      if (holding.current) return;
      const atEnd = isAtEnd(element);
      // The scrollbar is dragged, or a finger scrolls.
      const byReader = performance.now() - touched < 1500;
      if (up && !atEnd && byReader) away();
      else if (atEnd && !up && (byReader || !turn.current)) setFollowing(true);
    };
    element.addEventListener('wheel', onWheel, { passive: true });
    element.addEventListener('keydown', onKey);
    element.addEventListener('pointerdown', onPointer, { passive: true });
    element.addEventListener('touchmove', onPointer, { passive: true });
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      element.removeEventListener('wheel', onWheel);
      element.removeEventListener('keydown', onKey);
      element.removeEventListener('pointerdown', onPointer);
      element.removeEventListener('touchmove', onPointer);
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller, turn, holding]);

  return {
    following,
    follow: () => setFollowing(true),
    leave: () => setFollowing(false),
    /** The thread has come to rest: at its end, it follows it. */
    rest: () => {
      if (scroller.current && isAtEnd(scroller.current) && !turn.current) setFollowing(true);
    },
  };
}

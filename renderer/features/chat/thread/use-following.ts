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
    // Something in the thread is pressed: nothing may move from under the pointer.
    let isPressed = false;
    const away = () => setFollowing(false);
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY > 0) onTouch();
      // Not by where it is: the browser scrolls before the page hears of it, and may be at the top already.
      else if (event.deltaY < 0 && element.scrollHeight > element.clientHeight) away();
    };
    const onKey = (event: KeyboardEvent) => {
      if (['ArrowUp', 'PageUp', 'Home'].includes(event.key) && element.contains(event.target as Node)) away();
      else if (['ArrowDown', 'PageDown', 'End'].includes(event.key)) onTouch();
    };
    const onTouch = () => {
      touched = performance.now();
    };
    const onPress = ({ target, pointerType, button }: PointerEvent) => {
      onTouch();
      // The scrollbar is the scroller's own; a finger or a pen scrolls anywhere.
      isPressed = target !== element && pointerType === 'mouse' && button === 0;
    };
    const onRelease = () => {
      if (isPressed) touched = 0;
      isPressed = false;
    };
    const onScroll = () => {
      const up = element.scrollTop < last - 1;
      last = element.scrollTop;
      if (holding.current) return;
      const atEnd = isAtEnd(element);
      // The scrollbar is dragged, or a finger scrolls.
      const byReader = performance.now() - touched < 1500;
      if (up && !atEnd && byReader) away();
      else if (atEnd && !up && !isPressed && (byReader || !turn.current)) setFollowing(true);
    };
    element.addEventListener('wheel', onWheel, { passive: true });
    element.addEventListener('keydown', onKey);
    element.addEventListener('pointerdown', onPress, { passive: true });
    addEventListener('pointerup', onRelease);
    addEventListener('pointercancel', onRelease);
    element.addEventListener('touchmove', onTouch, { passive: true });
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      element.removeEventListener('wheel', onWheel);
      element.removeEventListener('keydown', onKey);
      element.removeEventListener('pointerdown', onPress);
      removeEventListener('pointerup', onRelease);
      removeEventListener('pointercancel', onRelease);
      element.removeEventListener('touchmove', onTouch);
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

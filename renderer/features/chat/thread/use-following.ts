import { type RefObject, useEffect, useState } from 'react';

const near = 48;
const isAtEnd = (element: HTMLElement) => element.scrollHeight - element.clientHeight - element.scrollTop <= near;

/**
 * Whether the thread follows its end. Scrolling up stops that at once, and reaching the end starts it again. In a
 * `turn`, where the question stays at the top, only the reader's own scrolling to the end starts it. Nothing starts it
 * while the thread is `holding` a scroll position.
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
    // While something in the thread is pressed, nothing may move from under the pointer.
    let isPressed = false;
    const away = () => setFollowing(false);
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY > 0) onTouch();
      // The scroll position can't be used here: the browser scrolls before the page gets the event, and may be at the
      // top already.
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
      // A press on the scrollbar has the scroller itself as its target, and a finger or pen may be scrolling. Both
      // count as scrolling, not as a press.
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
      // The reader used the wheel, a key, the mouse or a finger just now, so this scrolling is theirs.
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
    /** Called when the thread has come to rest. If that is at its end, it follows the end again. */
    rest: () => {
      if (scroller.current && isAtEnd(scroller.current) && !turn.current) setFollowing(true);
    },
  };
}

import { useEffect } from 'react';

/** Where the focus was: the focused element, and what remains if that element goes away. */
interface Place {
  readonly element: Element;
  /** The target, if the element is a link. */
  readonly href: string | null;
  /** The list that the element was in, and its index. */
  readonly list: Element | null;
  readonly index: number;
  /** A part of the window that takes the focus itself. */
  readonly region: HTMLElement | null;
}

const lists = 'ul, ol, tbody, [role="list"], [role="listbox"]';
const regions = ':is(aside, main, [role="log"])[tabindex]';
const focusable = 'a[href], button:not(:disabled), input:not(:disabled), textarea, [tabindex]';
/** For a dialog opened from a menu, the earlier focus is a few places back. */
const maxPlaces = 12;
/** Code that closes a dialog or handles a key may set the focus in the next frames. */
const framesWaited = 3;

/**
 * Restores the focus when the focused element leaves the page. Browsers would focus the body, where keys do nothing and
 * Tab starts at the top of the window. The focus goes to the same element if it moved, else to what took its place,
 * else to a neighbour in its list, else to the part of the window that it was in. A click outside of everything removes
 * the focus as usual.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    const places: Place[] = [];
    let frame: number | null = null;
    const onFocus = ({ target }: { readonly target: EventTarget | null }) => {
      if (!(target instanceof Element) || target === document.body) return;
      places.push(getPlace(target));
      if (places.length > maxPlaces) places.shift();
    };
    const tryRestore = (frames: number) => {
      frame = requestAnimationFrame(() => {
        frame = null;
        if (!isLost(places)) return;
        if (frames > 0) return tryRestore(frames - 1);
        places.toReversed().some(focusIn);
      });
    };
    const onChange = () => {
      if (frame === null && isLost(places)) tryRestore(framesWaited);
    };
    const observer = new MutationObserver(onChange);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', onFocus);
    // The composer was focused before this listener existed.
    onFocus({ target: document.activeElement });
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', onFocus);
      if (frame !== null) cancelAnimationFrame(frame);
    };
  }, []);
}

const isLost = (places: readonly Place[]): boolean =>
  document.activeElement === document.body && places.at(-1)?.element.isConnected === false;

function getPlace(element: Element): Place {
  const list = element.closest(lists);
  return {
    element,
    href: element.getAttribute('href'),
    list,
    index: list ? [...list.children].findIndex((item) => item.contains(element)) : -1,
    region: element.closest<HTMLElement>(regions),
  };
}

/** Focuses the best remaining part of this place. Returns whether something took the focus. */
function focusIn({ element, href, list, index, region }: Place): boolean {
  if (isThere(element) && focused(element)) return true;
  const moved = href && region?.querySelector(`a[href="${CSS.escape(href)}"]`);
  if (moved && isThere(moved) && focused(moved)) return true;
  if (list && isThere(list)) {
    const items = [...list.children];
    // The item that moved up into its place, else the one above.
    const neighbours = [...items.slice(Math.max(index, 0)), ...items.slice(0, Math.max(index, 0)).toReversed()];
    for (const item of neighbours) {
      const own = item.matches(focusable) ? item : item.querySelector(focusable);
      if (own && focused(own)) return true;
    }
  }
  return region !== null && isThere(region) && focused(region);
}

const isThere = (element: Element): boolean => element.isConnected && element.checkVisibility();

function focused(element: Element): boolean {
  (element as HTMLElement).focus({ preventScroll: true });
  return document.activeElement === element;
}

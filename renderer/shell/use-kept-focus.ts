import { useEffect } from 'react';

/** Where the focus was: what had it, and what stays when that goes. */
interface Place {
  readonly element: Element;
  /** Where it leads, of a link. */
  readonly href: string | null;
  /** The item of a list that it was in, and which one. */
  readonly list: Element | null;
  readonly at: number;
  /** A part of the window that takes the focus itself. */
  readonly region: HTMLElement | null;
}

const lists = 'ul, ol, tbody, [role="list"], [role="listbox"]';
const regions = ':is(aside, main, [role="log"])[tabindex]';
const focusable = 'a[href], button:not(:disabled), input:not(:disabled), textarea, [tabindex]';
/** Of a dialog that was opened from a menu, what was focused before is a few places back. */
const maxPlaces = 12;
/** Who closes a dialog, or answers a key, may place the focus in the next frames. */
const framesWaited = 3;

/**
 * When the focused element leaves the page, browsers give the focus to the body: keys do nothing, and Tab begins at the top of the
 * window. Here it goes with what has moved, to what is in its place, the neighbour in its list, else the part of the window that
 * it was in. A click beside everything takes it away as everywhere.
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
    const look = (frames: number) => {
      frame = requestAnimationFrame(() => {
        frame = null;
        if (!isLost(places)) return;
        if (frames > 0) return look(frames - 1);
        places.toReversed().some(focusIn);
      });
    };
    const onChange = () => {
      if (frame === null && isLost(places)) look(framesWaited);
    };
    const observer = new MutationObserver(onChange);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', onFocus);
    // The composer has it before anybody listens.
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
    at: list ? [...list.children].findIndex((item) => item.contains(element)) : -1,
    region: element.closest<HTMLElement>(regions),
  };
}

/** Whether there is something of this place that took the focus. */
function focusIn({ element, href, list, at, region }: Place): boolean {
  if (isThere(element) && focused(element)) return true;
  const moved = href && region?.querySelector(`a[href="${CSS.escape(href)}"]`);
  if (moved && isThere(moved) && focused(moved)) return true;
  if (list && isThere(list)) {
    const items = [...list.children];
    // What has moved up into its place, else what is above.
    const neighbours = [...items.slice(Math.max(at, 0)), ...items.slice(0, Math.max(at, 0)).toReversed()];
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

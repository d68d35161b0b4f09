import { type RefObject, useState } from 'react';

/**
 * The `finalFocus` of what is open over the page: what had the focus when this was mounted has it again, also a part of the
 * window or a message, of which Base UI would focus the first button. It stays where something has moved it on, and is left
 * to `useKeptFocus` if what had it is gone.
 */
export function useFinalFocus(popup: RefObject<HTMLElement | null>, before?: HTMLElement): () => false {
  const [returnsTo] = useState(() => before ?? document.activeElement);
  return () => {
    const now = document.activeElement;
    const moved = now !== document.body && !popup.current?.contains(now);
    if (!moved && returnsTo instanceof HTMLElement) returnsTo.focus({ preventScroll: true });
    return false;
  };
}

import { type RefObject, useLayoutEffect, useState } from 'react';

interface FinalFocusOptions {
  popup: RefObject<HTMLElement | null>;
  open: boolean;
  /** The element to focus afterwards, instead of the one that was focused before. */
  returnsTo?: HTMLElement;
}

/**
 * Returns the `finalFocus` of a popup. It returns the focus to what had it before, even to a part of the window or a
 * message, where Base UI would focus the first button. It does so as soon as the popup starts to close, because Base UI
 * waits until it is gone, and keys pressed meanwhile would be lost. It doesn't move a focus that was set elsewhere, and
 * leaves a lost one to `useKeptFocus`.
 */
export function useFinalFocus({ popup, open, returnsTo }: FinalFocusOptions): () => false {
  // Read during rendering, because a field of the popup may take the focus as soon as it is mounted.
  const [before, setBefore] = useState(() => document.activeElement);
  const [wasOpen, setWasOpen] = useState(open);
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setBefore(document.activeElement);
  }
  const giveBack = () => {
    const now = document.activeElement;
    const moved = now !== document.body && !popup.current?.contains(now);
    const target = returnsTo ?? before;
    if (!moved && target instanceof HTMLElement) target.focus({ preventScroll: true });
    return false as const;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it opens or closes
  useLayoutEffect(() => {
    if (!open) giveBack();
  }, [open]);
  return giveBack;
}

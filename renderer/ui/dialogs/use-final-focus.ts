import { type RefObject, useLayoutEffect, useState } from 'react';

interface FinalFocusOptions {
  popup: RefObject<HTMLElement | null>;
  open: boolean;
  /** What has the focus afterwards, in place of what had it before. */
  returnsTo?: HTMLElement;
}

/**
 * The `finalFocus` of what is open over the page: what had the focus before has it again, also a part of the window or a
 * message, of which Base UI would focus the first button. It does as soon as this begins to go: Base UI waits until it is gone,
 * and keys of that time would be lost. It stays where something has moved it on, and is left to `useKeptFocus` if what had it is
 * gone.
 */
export function useFinalFocus({ popup, open, returnsTo }: FinalFocusOptions): () => false {
  // Read while it is rendered: a field of it may take the focus as soon as it is mounted.
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

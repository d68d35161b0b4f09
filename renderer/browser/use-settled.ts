import { useEffect, useState } from 'react';
import { create } from 'zustand';

/** A first view that does not come, and a window that is busy from its first moment, get the rest all the same. */
const latestViewMs = 2000;
const latestIdleMs = 300;

const useFirstView = create(() => ({ shown: false }));

/** Called by each view with whether all that it begins with is drawn. */
export function useShown(shown: boolean): void {
  useEffect(() => {
    if (shown) useFirstView.setState({ shown });
  }, [shown]);
}

/** Whether the first view has been shown and the window has nothing else to do: time for what is only needed later. */
export function useSettled(): boolean {
  const { shown } = useFirstView();
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const settle = () => setSettled(true);
    if (!shown) {
      const late = setTimeout(settle, latestViewMs);
      return () => clearTimeout(late);
    }
    const idle = requestIdleCallback(settle, { timeout: latestIdleMs });
    return () => cancelIdleCallback(idle);
  }, [shown]);
  return settled;
}

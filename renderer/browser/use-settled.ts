import { useEffect, useState } from 'react';
import { create } from 'zustand';

/** The rest is loaded after this time at the latest, even if the first view does not load or the window stays busy. */
const latestViewMs = 2000;
const latestIdleMs = 300;

const useFirstView = create(() => ({ shown: false, awaited: 0 }));

/** Called by views: whether their initial content is rendered. */
export function useShown(shown: boolean): void {
  useEffect(() => {
    if (!shown) return;
    // For `npm run bench -- --only start`.
    if (!useFirstView.getState().shown) performance.mark('portico-shown');
    useFirstView.setState({ shown });
  }, [shown]);
}

/** Called by what stands for a part of the first view that is on its way: the rest is not loaded before that has come. */
export function useAwaited(): void {
  useEffect(() => {
    useFirstView.setState(({ awaited }) => ({ awaited: awaited + 1 }));
    return () => useFirstView.setState(({ awaited }) => ({ awaited: awaited - 1 }));
  }, []);
}

/** Whether the first view is rendered and the window idle: the time to load what is needed later. */
export function useSettled(): boolean {
  const isWhole = useFirstView(({ shown, awaited }) => shown && awaited === 0);
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const settle = () => setSettled(true);
    if (!isWhole) {
      const late = setTimeout(settle, latestViewMs);
      return () => clearTimeout(late);
    }
    const idle = requestIdleCallback(settle, { timeout: latestIdleMs });
    return () => cancelIdleCallback(idle);
  }, [isWhole]);
  return settled;
}

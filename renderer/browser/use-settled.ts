import { useEffect, useState } from 'react';
import { create } from 'zustand';

/** The rest loads after this time at the latest, even if the first view doesn't load or the window stays busy. */
const latestViewMs = 2000;
const latestIdleMs = 300;

const useFirstView = create(() => ({ shown: false, awaited: 0 }));

/** Views call this with whether their initial content is rendered. */
export function useShown(shown: boolean): void {
  useEffect(() => {
    if (!shown) return;
    // For `npm run bench -- --only start`.
    if (!useFirstView.getState().shown) performance.mark('portico-shown');
    useFirstView.setState({ shown });
  }, [shown]);
}

/** A placeholder for a part of the first view calls this. The rest isn't loaded while it is mounted. */
export function useAwaited(): void {
  useEffect(() => {
    useFirstView.setState(({ awaited }) => ({ awaited: awaited + 1 }));
    return () => useFirstView.setState(({ awaited }) => ({ awaited: awaited - 1 }));
  }, []);
}

/** True once the first view is rendered and the window is idle. Then code that is needed later can load. */
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

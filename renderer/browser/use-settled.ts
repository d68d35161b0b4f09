import { useEffect, useState } from 'react';

/** A window that is busy from its first moment gets the rest all the same. */
const latestMs = 300;

/** Whether the window has been drawn and has nothing else to do: time for what is only needed later. */
export function useSettled(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const idle = requestIdleCallback(() => setSettled(true), { timeout: latestMs });
    return () => cancelIdleCallback(idle);
  }, []);
  return settled;
}

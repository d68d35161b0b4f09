import { useEffect } from 'react';
import { useConnection } from './connection.ts';

/** Saves what is waiting when the window may be about to go, left, hidden, reloaded or closed, and when a lost core is back. */
export function useFlush(flush: () => void): void {
  useEffect(() => {
    addEventListener('blur', flush);
    addEventListener('pagehide', flush);
    document.addEventListener('visibilitychange', flush);
    const unsubscribe = useConnection.subscribe((now, before) => {
      if (before.lost && !now.lost) flush();
    });
    return () => {
      unsubscribe();
      flush();
      removeEventListener('blur', flush);
      removeEventListener('pagehide', flush);
      document.removeEventListener('visibilitychange', flush);
    };
  }, [flush]);
}

import { useEffect } from 'react';
import { useConnection } from './connection.ts';

/**
 * Calls `flush` when the window may be about to close (left, hidden, reloaded, closed) and when the core is reachable
 * again.
 */
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

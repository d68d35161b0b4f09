import { useEffect } from 'react';

/** Saves what is waiting when the window may be about to go: it is left, hidden, reloaded or closed. */
export function useFlush(flush: () => void): void {
  useEffect(() => {
    addEventListener('blur', flush);
    addEventListener('pagehide', flush);
    document.addEventListener('visibilitychange', flush);
    return () => {
      flush();
      removeEventListener('blur', flush);
      removeEventListener('pagehide', flush);
      document.removeEventListener('visibilitychange', flush);
    };
  }, [flush]);
}

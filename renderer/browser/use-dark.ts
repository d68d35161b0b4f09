import { useSyncExternalStore } from 'react';
import { useMedia } from './use-media.ts';

/** True if the dark theme applies, by the user’s choice or the system’s. */
export function useDark(): boolean {
  const system = useMedia('(prefers-color-scheme: dark)');
  const chosen = useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme);
  return chosen === undefined ? system : chosen === 'dark';
}

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

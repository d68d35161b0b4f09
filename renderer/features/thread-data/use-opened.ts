import { useEffect } from 'react';
import { useApi } from '../../api/api.ts';

/** Tells the core what is on screen, so that the next start begins there. */
export function useOpened(conversationId: string | null): void {
  const api = useApi();
  useEffect(() => {
    api.conversations.opened({ id: conversationId }).catch((error: unknown) => {
      console.warn('The next start will begin elsewhere', error);
    });
  }, [api, conversationId]);
}

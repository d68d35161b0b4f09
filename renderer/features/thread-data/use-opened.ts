import { useEffect } from 'react';
import { useApi } from '../../api/api.ts';

/** Tells the core which chat is open, so that the next start opens it. */
export function useOpened(conversationId: string | null): void {
  const api = useApi();
  useEffect(() => {
    api.conversations.opened({ id: conversationId }).catch((error: unknown) => {
      console.warn('The next start will begin elsewhere', error);
    });
  }, [api, conversationId]);
}

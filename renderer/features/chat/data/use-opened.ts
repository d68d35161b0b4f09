import { useEffect, useEffectEvent } from 'react';
import { useApi } from '../../../api/api.ts';
import { useNav } from '../../../navigation/nav.ts';
import { text } from '../../../text/chat-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';

/** Tells the core which chat is open, so that the next start opens it. A temporary chat left by this can be had back. */
export function useOpened(conversationId: string | null): void {
  const api = useApi();
  const { undoable } = useNotify();
  const left = useEffectEvent((id: string) => {
    undoable(text.temporaryLeft, () => useNav.getState().go({ page: 'chat', conversationId: id }));
  });
  useEffect(() => {
    api.conversations.opened({ id: conversationId }).then(
      ({ leaving }) => {
        for (const id of leaving) left(id);
      },
      (error: unknown) => console.warn('The next start will begin elsewhere', error),
    );
  }, [api, conversationId]);
}

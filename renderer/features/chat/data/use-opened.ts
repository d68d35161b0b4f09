import { useEffect, useEffectEvent } from 'react';
import { useApi } from '../../../api/api.ts';
import { useNav } from '../../../navigation/nav.ts';
import { text as chatText } from '../../../text/chat-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';

/**
 * Reports to the core which chat is open, because the next start opens it again. A temporary chat that is left this way
 * can be reopened with Undo.
 */
export function useOpened(conversationId: string | null): void {
  const api = useApi();
  const { undoable } = useNotify();
  const left = useEffectEvent((id: string) => {
    undoable(chatText.temporaryLeft, () => useNav.getState().go({ page: 'chat', conversationId: id }));
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

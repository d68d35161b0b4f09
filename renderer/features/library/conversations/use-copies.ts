import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { useApi } from '../../../api/api.ts';
import { useNav } from '../../../navigation/nav.ts';
import { text } from '../../../text/conversations-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';

/** Copies a chat to a second chat, or its text to the clipboard. */
export function useCopies() {
  const api = useApi();
  const { inform, failed } = useNotify();
  return {
    async duplicate({ id }: Conversation): Promise<void> {
      try {
        const copy = await api.transfer.duplicate({ id });
        useNav.getState().go({ page: 'chat', conversationId: copy.id });
        inform(text.duplicated);
      } catch (error) {
        failed(text.notDuplicated, error);
      }
    },

    async copyMarkdown({ id }: Conversation): Promise<void> {
      try {
        const parts: string[] = [];
        for await (const piece of await api.transfer.export({ ids: [id], format: 'markdown' })) parts.push(piece.text);
        await navigator.clipboard.writeText(parts.join(''));
        inform(text.chatCopied);
      } catch (error) {
        if (error instanceof DOMException) inform(text.notCopied, text.copyRefused);
        else failed(text.notCopied, error);
      }
    },
  };
}

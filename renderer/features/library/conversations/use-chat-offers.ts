import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { useOffers } from '../../../actions/offers.ts';
import { text } from '../../../text/conversations-text.ts';
import { useChatDialog } from './chat-dialog.ts';
import { changes, useAct } from './use-act.ts';
import { useCopies } from './use-copies.ts';

/** Registers the actions on the open chat for the palette and the shortcuts. */
export function useChatOffers(conversation: Conversation | null): void {
  const { ask } = useChatDialog.getState();
  const { act } = useAct();
  const { duplicate, copyMarkdown } = useCopies();
  const trashed = conversation !== null && conversation.trashedAt !== null;
  const ids = conversation ? [conversation.id] : [];
  const conversations = conversation ? [conversation] : [];
  const active = conversation !== null && !trashed;
  useOffers({
    renameChat: active ? () => ask({ kind: 'rename', conversation }) : null,
    pinChat: active && {
      name: conversation.pinned ? text.unpinChat : text.pinChat,
      run: () => void act(...(conversation.pinned ? changes.unpin(ids) : changes.pin(ids))),
    },
    moveChat: active ? () => ask({ kind: 'move', conversations }) : null,
    tagChat: active ? () => ask({ kind: 'tags', conversations }) : null,
    exportChat: active ? () => ask({ kind: 'export', conversations }) : null,
    copyChat: conversation && (() => void copyMarkdown(conversation)),
    duplicateChat: active ? () => void duplicate(conversation) : null,
    archiveChat: active && {
      name: conversation.archived ? text.unarchiveChat : text.archiveChat,
      run: () => void act(...(conversation.archived ? changes.unarchive(ids) : changes.archive(ids))),
    },
    trashChat: active ? () => void act(...changes.trash(ids)) : null,
    restoreChat: trashed ? () => void act(...changes.restore(ids)) : null,
  });
}

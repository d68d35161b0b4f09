import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { text } from '../../../text/conversations-text.ts';
import { MenuItem } from '../../../ui/dialogs/menu.tsx';
import { useChatDialog } from './chat-dialog.ts';
import { changes, useAct } from './use-act.ts';
import { useCopies } from './use-copies.ts';
import { useKeepChat } from './use-organise.ts';

/** Actions on a chat as menu items, for sidebar and header. */
export function ConversationActions({ conversation }: { conversation: Conversation }) {
  const ask = useChatDialog((state) => state.ask);
  const { act, dropTemporary } = useAct();
  const keep = useKeepChat();
  const { duplicate } = useCopies();
  const ids = [conversation.id];
  const conversations = [conversation];
  if (conversation.temporary) {
    return (
      <>
        <MenuItem onClick={() => keep(conversation.id)}>{text.keep}</MenuItem>
        <MenuItem onClick={() => ask({ kind: 'rename', conversation })}>{text.rename}</MenuItem>
        <MenuItem danger onClick={() => void dropTemporary(conversation.id)}>
          {text.removeNow}
        </MenuItem>
      </>
    );
  }
  if (conversation.trashedAt !== null) {
    return (
      <>
        <MenuItem onClick={() => void act(...changes.restore(ids))}>{text.restore}</MenuItem>
        <MenuItem danger onClick={() => ask({ kind: 'forever', conversations })}>
          {text.removeForever}
        </MenuItem>
      </>
    );
  }
  return (
    <>
      <MenuItem onClick={() => void act(...(conversation.pinned ? changes.unpin(ids) : changes.pin(ids)))}>
        {conversation.pinned ? text.unpin : text.pin}
      </MenuItem>
      <MenuItem onClick={() => ask({ kind: 'rename', conversation })}>{text.rename}</MenuItem>
      <MenuItem onClick={() => ask({ kind: 'move', conversations })}>{text.move}</MenuItem>
      <MenuItem onClick={() => ask({ kind: 'tags', conversations })}>{text.tags}</MenuItem>
      <MenuItem onClick={() => void duplicate(conversation)}>{text.duplicate}</MenuItem>
      <MenuItem onClick={() => ask({ kind: 'export', conversations })}>{text.export}</MenuItem>
      <MenuItem onClick={() => void act(...(conversation.archived ? changes.unarchive(ids) : changes.archive(ids)))}>
        {conversation.archived ? text.unarchive : text.archive}
      </MenuItem>
      <MenuItem danger onClick={() => void act(...changes.trash(ids))}>
        {text.remove}
      </MenuItem>
    </>
  );
}

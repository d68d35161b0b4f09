import { Ellipsis } from 'lucide-react';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import type { ConversationTotal as Total } from '#shared/contract/common/bills.ts';
import { PageHeader } from '../../page/page-header.tsx';
import { text } from '../../text/chat-text.ts';
import { Menu } from '../../ui/dialogs/menu.tsx';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { useChatDialog } from '../library/conversations/chat-dialog.ts';
import { ConversationActions } from '../library/conversations/conversation-actions.tsx';
import { TemporaryMark } from '../library/conversations/temporary-mark.tsx';
import { useChatOffers } from '../library/conversations/use-chat-offers.ts';
import { ConversationTotal } from './costs/conversation-total.tsx';
import { ProjectMark } from './project-mark.tsx';

interface ChatHeaderProps {
  conversation: Conversation | null;
  total: Total | null;
}

export function ChatHeader({ conversation, total }: ChatHeaderProps) {
  const ask = useChatDialog((state) => state.ask);
  useChatOffers(conversation);
  return (
    <PageHeader
      title={conversation?.title ?? text.newChat}
      {...(conversation && { onTitleDoubleClick: () => ask({ kind: 'rename', conversation }) })}
    >
      {conversation && (
        <>
          {conversation.folderId !== null && <ProjectMark folderId={conversation.folderId} />}
          {conversation.temporary && <TemporaryMark conversationId={conversation.id} />}
          {total && (
            // Where the window's own buttons are in a narrow header, the title needs the space.
            <span className="contents @max-[20rem]/header:hidden">
              <ConversationTotal total={total} />
            </span>
          )}
          <Menu trigger={<IconButton icon={Ellipsis} label={text.chatActions} />}>
            <ConversationActions conversation={conversation} />
          </Menu>
        </>
      )}
    </PageHeader>
  );
}

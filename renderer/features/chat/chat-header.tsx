import { Ellipsis } from 'lucide-react';
import type { Conversation } from '#shared/contract/conversations.ts';
import { PageHeader } from '../../app/page-header.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useAsking } from '../organise/asking.ts';
import { ConversationActions } from '../organise/conversation-actions.tsx';
import { ConversationTotal } from './conversation-total.tsx';
import { text } from './text.ts';

export function ChatHeader({ conversation }: { conversation: Conversation | null }) {
  const ask = useAsking((state) => state.ask);
  return (
    <PageHeader
      title={conversation?.title ?? text.newChat}
      {...(conversation && { onTitleDoubleClick: () => ask({ kind: 'rename', conversation }) })}
    >
      {conversation && (
        <>
          <ConversationTotal conversationId={conversation.id} />
          <Menu trigger={<IconButton icon={Ellipsis} label={text.chatActions} />}>
            <ConversationActions conversation={conversation} />
          </Menu>
        </>
      )}
    </PageHeader>
  );
}

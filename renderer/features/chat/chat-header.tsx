import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import type { Conversation } from '#shared/contract/conversations.ts';
import { PageHeader } from '../../app/page-header.tsx';
import { newChat, useNav } from '../../lib/nav.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useNotify } from '../../ui/use-notify.ts';
import { ConversationTotal } from './conversation-total.tsx';
import { text } from './text.ts';
import { useRemove, useRename } from './use-send.ts';

export function ChatHeader({ conversation }: { conversation: Conversation | null }) {
  const [asking, setAsking] = useState<'rename' | 'remove' | null>(null);
  const close = (open: boolean) => !open && setAsking(null);
  return (
    <PageHeader
      title={conversation?.title ?? text.newChat}
      {...(conversation && { onTitleDoubleClick: () => setAsking('rename') })}
    >
      {conversation && (
        <>
          <ConversationTotal conversationId={conversation.id} />
          <Menu trigger={<IconButton icon={Ellipsis} label={text.chatActions} />}>
            <MenuItem onClick={() => setAsking('rename')}>{text.rename}</MenuItem>
            <MenuItem danger onClick={() => setAsking('remove')}>
              {text.remove}
            </MenuItem>
          </Menu>
          <Dialog open={asking === 'rename'} onOpenChange={close} title={text.rename}>
            <RenameForm conversation={conversation} onDone={() => setAsking(null)} />
          </Dialog>
          <Dialog open={asking === 'remove'} onOpenChange={close} title={text.removeTitle}>
            <RemoveForm conversation={conversation} onDone={() => setAsking(null)} />
          </Dialog>
        </>
      )}
    </PageHeader>
  );
}

function RenameForm({ conversation, onDone }: { conversation: Conversation; onDone: () => void }) {
  const [title, setTitle] = useState(conversation.title);
  const rename = useRename();
  const { failed } = useNotify();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (title.trim() === '') return;
        rename.mutate(
          { id: conversation.id, title: title.trim() },
          { onSuccess: onDone, onError: (error) => failed(text.rename, error) },
        );
      }}
    >
      <TextField
        label={text.title}
        value={title}
        maxLength={200}
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => setTitle(event.target.value)}
      />
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button look="primary" type="submit" disabled={title.trim() === '' || rename.isPending}>
          {text.save}
        </Button>
      </div>
    </form>
  );
}

function RemoveForm({ conversation, onDone }: { conversation: Conversation; onDone: () => void }) {
  const remove = useRemove();
  const go = useNav((nav) => nav.go);
  const { failed } = useNotify();
  const removeNow = () =>
    remove.mutate(conversation.id, {
      onSuccess: () => {
        onDone();
        go(newChat);
      },
      onError: (error) => failed(text.remove, error),
    });
  return (
    <>
      <p className="text-fg-2">{text.removeBody}</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button look="danger" disabled={remove.isPending} onClick={removeNow}>
          {text.remove}
        </Button>
      </div>
    </>
  );
}

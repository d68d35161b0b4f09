import { memo, useState } from 'react';
import { LongText } from '../../../long-text/long-text.tsx';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { text } from '../../../text/chat-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { AttachmentList } from '../../drafts/attachments/attachment-list.tsx';
import { getHead, type ThreadItem } from '../state/thread-items.ts';
import { EditMessage } from './edit-message.tsx';
import { UserMessageActions } from './user-message-actions.tsx';

const longest = 4000;
const line = { heightPx: 24, letters: 76 };

/** Not cut within a character of two units. */
const getBeginning = (text: string): string => text.slice(0, longest).replace(/[\ud800-\udbff]$/, '');

interface OwnMessageProps {
  item: ThreadItem;
  busy: boolean;
  active: boolean;
  last: boolean;
}

/** The user’s message as plain text. */
export const UserMessage = memo(function UserMessage({ item, busy, active, last }: OwnMessageProps) {
  const [whole, setWhole] = useState(false);
  const editing = useThreadView((view) => view.edits[item.id]);
  const highlighted = useThreadView((view) => view.highlighted === item.id);
  const cut = !whole && item.text.length > longest;
  return (
    <article
      aria-label={text.you}
      data-message={getHead(item)}
      data-highlighted={highlighted || undefined}
      tabIndex={-1}
      className="group flex flex-col items-end rounded-menu pt-4 pb-2 transition-colors duration-[220ms] data-highlighted:bg-accent-soft"
    >
      <h2 className="sr-only">{text.you}</h2>
      <AttachmentList files={item.attachments} className="mb-1.5 max-w-[82%] justify-end" />
      {editing !== undefined && <EditMessage item={item} text={editing} busy={busy} />}
      {editing === undefined && item.text.trim() !== '' && (
        <div
          data-cut={cut || undefined}
          className="max-w-[82%] rounded-bubble bg-bubble px-4 py-2.5 text-md wrap-anywhere whitespace-pre-wrap"
        >
          <LongText text={cut ? `${getBeginning(item.text)}…` : item.text} line={line} />
          {cut && (
            <Button className="mt-2 block" onClick={() => setWhole(true)}>
              {text.showAll(item.text.length)}
            </Button>
          )}
        </div>
      )}
      <UserMessageActions item={item} busy={busy} active={active} last={last} />
    </article>
  );
});

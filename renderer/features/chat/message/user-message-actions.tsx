import { Check, Copy, MessageSquareReply, Pencil, Split, Trash2 } from 'lucide-react';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { text } from '../../../text/chat-text.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { useActions } from '../state/message-actions.ts';
import type { ThreadItem } from '../state/thread-items.ts';
import { VersionPager } from './version-pager.tsx';

interface OwnActionsProps {
  item: ThreadItem;
  busy: boolean;
  active: boolean;
  /** No message follows: it can be answered. */
  last: boolean;
}

export function UserMessageActions({ item, busy, active, last }: OwnActionsProps) {
  const actions = useActions();
  const copied = useThreadView((view) => view.copied[item.id] ?? false);
  const { setEdit } = useThreadView.getState();
  const tabIndex = active ? 0 : -1;
  const shown = last || item.sibling.count > 1;
  return (
    <div
      data-shown={shown || undefined}
      className="flex h-8 items-center opacity-0 transition-opacity duration-[120ms] focus-within:opacity-100 group-hover:opacity-100 group-focus-visible:opacity-100 data-shown:opacity-100 [@media(hover:none)]:opacity-100"
    >
      {last && (
        <IconButton
          icon={MessageSquareReply}
          size="sm"
          label={text.answer}
          tabIndex={tabIndex}
          disabled={busy}
          onClick={() => actions.answer(item)}
        />
      )}
      <IconButton
        icon={copied ? Check : Copy}
        size="sm"
        label={copied ? text.copied : text.copyMessage}
        action="copy"
        tabIndex={tabIndex}
        onClick={() => actions.copy(item, 'rich')}
      />
      <IconButton
        icon={Pencil}
        size="sm"
        label={text.edit}
        action="edit"
        tabIndex={tabIndex}
        disabled={busy}
        onClick={() => setEdit(item.id, item.text)}
      />
      <IconButton
        icon={Split}
        size="sm"
        label={text.fork}
        shortcut="B"
        tabIndex={tabIndex}
        onClick={() => actions.fork(item)}
      />
      <IconButton
        icon={Trash2}
        size="sm"
        label={text.removeMessage}
        action="remove"
        tabIndex={tabIndex}
        onClick={() => actions.remove(item)}
      />
      <VersionPager item={item} tabIndex={tabIndex} />
    </div>
  );
}

import { Check, Copy, MessageSquareReply, Pencil, Split, Trash2 } from 'lucide-react';
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import { useSettings } from '../../../api/use-core.ts';
import { LongText } from '../../../long-text/long-text.tsx';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { text, text as words } from '../../../text/chat-text.ts';
import { composerText } from '../../../text/composer-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { AttachmentList } from '../../drafts/attachments/attachment-list.tsx';
import { useActions } from '../state/message-actions.ts';
import { getHead, type ThreadItem } from '../state/thread-items.ts';
import { VersionPager } from './version-pager.tsx';

const maxShownCharacters = 4000;
const line = { heightPx: 24, letters: 76 };

/** Returns the beginning of a long text, without cutting a surrogate pair in half. */
const getBeginning = (text: string): string => text.slice(0, maxShownCharacters).replace(/[\ud800-\udbff]$/, '');

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
  const cut = !whole && item.text.length > maxShownCharacters;
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

interface OwnActionsProps {
  item: ThreadItem;
  busy: boolean;
  active: boolean;
  /** No message follows, so this one can be answered. */
  last: boolean;
}

function UserMessageActions({ item, busy, active, last }: OwnActionsProps) {
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

interface EditMessageProps {
  item: ThreadItem;
  text: string;
  busy: boolean;
}

/** Edits one of the user's messages. The new text survives scrolling away and a reload. */
function EditMessage({ item, text, busy }: EditMessageProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { setEdit } = useThreadView.getState();
  const { edit } = useActions();
  const { undoable } = useNotify();
  const sendWith = useSettings().data?.sendWith ?? 'enter';
  const sendable = (text.trim() !== '' || item.attachments.length > 0) && !busy;
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(-1, -1);
  }, []);

  const cancel = () => {
    field.current?.closest<HTMLElement>('[data-message]')?.focus();
    setEdit(item.id, null);
    if (text !== item.text) undoable(words.editDropped, () => setEdit(item.id, text));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') {
      // Escape closes the editor; it must not stop a running answer as well.
      event.preventDefault();
      event.stopPropagation();
      return cancel();
    }
    const mod = event.ctrlKey || event.metaKey;
    if (event.key !== 'Enter' || !(mod || (sendWith === 'enter' && !event.shiftKey && !event.altKey))) return;
    event.preventDefault();
    if (sendable) edit(item, text);
  };
  return (
    <div className="w-full rounded-bubble bg-bubble p-2">
      <textarea
        ref={field}
        aria-label={words.editField}
        value={text}
        onChange={(event) => setEdit(item.id, event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-[50vh] min-h-12 w-full resize-none bg-transparent px-2 py-1 text-md focus-visible:outline-none"
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto px-2 text-fg-3 text-xs">{words.editNote}</p>
        <Button onClick={cancel}>{composerText.cancel}</Button>
        <Button variant="primary" disabled={!sendable} onClick={() => edit(item, text)}>
          {words.sendEdit}
        </Button>
      </div>
    </div>
  );
}

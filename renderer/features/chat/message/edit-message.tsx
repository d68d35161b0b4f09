import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useSettings } from '../../../api/use-core.ts';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { text as words } from '../../../text/chat-text.ts';
import { composerText } from '../../../text/composer-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useActions } from '../state/message-actions.ts';
import type { ThreadItem } from '../state/thread-items.ts';

interface EditMessageProps {
  item: ThreadItem;
  text: string;
  busy: boolean;
}

/** Edits an own message. The text survives scrolling away and a reload. */
export function EditMessage({ item, text, busy }: EditMessageProps) {
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
      // Closes the editor, and does not stop an answer.
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

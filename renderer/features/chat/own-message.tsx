import { memo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { LongText } from './drawing/long-text.tsx';
import { EditMessage } from './edit-message.tsx';
import { type Entry, headOf } from './entries.ts';
import { OwnActions } from './own-actions.tsx';
import { text } from './text.ts';
import { useThreadView } from './thread-view.ts';

const longest = 4000;
const line = { heightPx: 24, letters: 76 };

interface OwnMessageProps {
  entry: Entry;
  busy: boolean;
  active: boolean;
  last: boolean;
}

/** What the user wrote, as written. */
export const OwnMessage = memo(function OwnMessage({ entry, busy, active, last }: OwnMessageProps) {
  const [whole, setWhole] = useState(false);
  const editing = useThreadView((view) => view.edits[entry.id]);
  const pointed = useThreadView((view) => view.pointed === entry.id);
  const cut = !whole && entry.text.length > longest;
  return (
    <article
      aria-label={text.you}
      data-message={headOf(entry)}
      data-pointed={pointed || undefined}
      tabIndex={-1}
      className="group flex flex-col items-end rounded-menu pt-4 pb-2 transition-colors duration-[220ms] data-pointed:bg-accent-soft"
    >
      <h2 className="sr-only">{text.you}</h2>
      {entry.attachments.length > 0 && (
        <div className="mb-1.5 flex max-w-[82%] justify-end">
          <AttachmentList files={entry.attachments} />
        </div>
      )}
      {editing !== undefined && <EditMessage entry={entry} text={editing} busy={busy} />}
      {editing === undefined && entry.text.trim() !== '' && (
        <div className="max-w-[82%] rounded-bubble bg-bubble px-4 py-2.5 text-md wrap-anywhere whitespace-pre-wrap">
          <LongText text={cut ? `${entry.text.slice(0, longest)}…` : entry.text} line={line} />
          {cut && (
            <Button className="mt-2 block" onClick={() => setWhole(true)}>
              {text.showAll(entry.text.length)}
            </Button>
          )}
        </div>
      )}
      <OwnActions entry={entry} busy={busy} active={active} last={last} />
    </article>
  );
});

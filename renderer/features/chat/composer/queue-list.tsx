import { ListPlus, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { QueuedMessage } from '#shared/contract/chat/queue.ts';
import { compareText } from '../../../text/compare-text.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { getSentence } from '../../../text/error-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { TextArea } from '../../../ui/forms/text-area.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useQueue, useQueueCalls } from './use-queue.ts';

interface QueueListProps {
  conversationId: string;
  live: boolean;
  /** The thread ends in a comparison without a chosen column. */
  undecided: boolean;
}

/** Queued messages, which can be edited and removed. */
export function QueueList({ conversationId, live, undecided }: QueueListProps) {
  const queue = useQueue(conversationId);
  const { resume } = useQueueCalls(conversationId);
  const { failed } = useNotify();
  const waiting = queue.data ?? [];
  if (waiting.length === 0) return null;
  return (
    <section aria-label={text.queue} className="measure mb-2">
      <div className="rounded-menu border border-line bg-sunken p-1">
        <div className="flex min-h-8 items-center gap-2 px-2 text-fg-2 text-xs">
          <ListPlus size={14} aria-hidden />
          <p className="flex-1">
            {undecided ? compareText.waitsForChoice : live ? text.queuedBehind : text.queuedIdle}
          </p>
          {!live && !undecided && (
            <Button
              variant="quiet"
              disabled={resume.isPending}
              onClick={() => resume.mutate(undefined, { onError: (error) => failed(text.queue, error) })}
            >
              {text.queueResume}
            </Button>
          )}
        </div>
        <ol className="max-h-48 overflow-y-auto">
          {waiting.map((message) => (
            <QueuedRow key={message.id} message={message} />
          ))}
        </ol>
      </div>
    </section>
  );
}

function QueuedRow({ message }: { message: QueuedMessage }) {
  const [editing, setEditing] = useState<string | null>(null);
  const { change, remove } = useQueueCalls(message.conversationId);
  const { failed } = useNotify();
  const onError = (error: Error) => failed(text.queue, error);
  const save = () => {
    if (editing?.trim())
      change.mutate({ id: message.id, text: editing }, { onError, onSuccess: () => setEditing(null) });
  };
  if (editing !== null)
    return (
      <li className="p-2">
        <TextArea
          label={text.queueEdit}
          value={editing}
          autoFocus
          onChange={(event) => setEditing(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            setEditing(null);
          }}
        />
        <div className="mt-2 flex justify-end gap-2">
          <Button onClick={() => setEditing(null)}>{text.cancel}</Button>
          <Button variant="primary" disabled={editing.trim() === ''} onClick={save}>
            {text.save}
          </Button>
        </div>
      </li>
    );
  return (
    <li className="flex items-center gap-1 rounded-control px-2 hover:bg-hover">
      <div className="min-w-0 flex-1 py-1">
        <p className="truncate text-sm">{message.text || message.attachments.map(({ name }) => name).join(', ')}</p>
        {message.compare.length > 1 && (
          <p className="text-fg-3 text-xs">{compareText.toModels(message.compare.length)}</p>
        )}
        {message.problem && <p className="text-bad text-xs">{getSentence(message.problem)}</p>}
      </div>
      <IconButton icon={Pencil} size="sm" label={text.queueEdit} onClick={() => setEditing(message.text)} />
      <IconButton
        icon={Trash2}
        size="sm"
        label={text.queueRemove}
        onClick={() => remove.mutate(message.id, { onError })}
      />
    </li>
  );
}

import { Folder } from 'lucide-react';
import { useState } from 'react';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { text } from '../../../text/conversations-text.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useAct } from './use-act.ts';
import { useOrganiseCalls, useOverview } from './use-organise.ts';

const row =
  'flex h-row w-full items-center gap-2 rounded-control px-2 text-left text-sm hover:bg-hover aria-pressed:bg-active aria-pressed:font-medium';

/** Moves chats into a folder, a new one, or out of theirs. */
export function MoveForm({ conversations, onDone }: { conversations: readonly Conversation[]; onDone: () => void }) {
  const overview = useOverview();
  const { createFolder } = useOrganiseCalls();
  const { act } = useAct();
  const { failed } = useNotify();
  const [name, setName] = useState('');
  const ids = conversations.map((conversation) => conversation.id);
  const current = conversations.every((conversation) => conversation.folderId === conversations[0]?.folderId)
    ? (conversations[0]?.folderId ?? null)
    : undefined;
  const move = (folderId: string | null, folder: string) => {
    onDone();
    const title = folderId ? text.done.moved(ids.length, folder) : text.done.unfiled(ids.length);
    void act(ids, { folderId }, title);
  };
  const moveToNew = () =>
    createFolder.mutate(
      { name: name.trim() },
      {
        onSuccess: (folder) => move(folder.id, folder.name),
        onError: (error) => failed(text.failed, error),
      },
    );
  return (
    <Form
      saveLabel={text.save}
      cancelLabel={text.cancel}
      ready={name.trim() !== ''}
      busy={createFolder.isPending}
      onSave={moveToNew}
      onCancel={onDone}
    >
      <div className="-mx-2 max-h-64 overflow-y-auto">
        <button type="button" aria-pressed={current === null} className={row} onClick={() => move(null, '')}>
          {text.noFolder}
        </button>
        {overview.data?.folders.map((folder) => (
          <button
            key={folder.id}
            type="button"
            aria-pressed={current === folder.id}
            className={row}
            onClick={() => move(folder.id, folder.name)}
          >
            <Folder size={14} className="shrink-0 text-fg-3" aria-hidden />
            <span className="min-w-0 flex-1 truncate">{folder.name}</span>
          </button>
        ))}
      </div>
      <TextField label={text.newFolder} value={name} maxLength={60} onChange={(event) => setName(event.target.value)} />
    </Form>
  );
}

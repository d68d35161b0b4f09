import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { text } from '../../../text/conversations-text.ts';
import { text as transferText } from '../../../text/transfer-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { ExportForm } from '../transfer/export-form.tsx';
import { type ChatDialog, useChatDialog } from './chat-dialog.ts';
import { MoveForm } from './move-form.tsx';
import { NameForm } from './name-form.tsx';
import { ProjectDialog } from './project-form.tsx';
import { TagsForm } from './tags-form.tsx';
import { useOrganiseCalls, useOverview } from './use-organise.ts';

/** The dialogs about chats, over any page. */
export function OrganiseDialogs() {
  const { asking, ask } = useChatDialog();
  return (
    <Dialog open={asking !== null} onOpenChange={(open) => !open && ask(null)} title={asking ? getTitle(asking) : ''}>
      {asking && <Form asking={asking} onDone={() => ask(null)} />}
    </Dialog>
  );
}

function getTitle(asking: ChatDialog): string {
  switch (asking.kind) {
    case 'rename':
      return text.renameTitle;
    case 'move':
      return text.moveTitle;
    case 'tags':
      return text.tagsTitle;
    case 'export':
      return transferText.exportTitle(asking.conversations.length);
    case 'forever':
      return text.foreverTitle(asking.conversations.length);
    case 'empty-trash':
      return text.emptyTitle;
    case 'new-folder':
      return text.newFolder;
    case 'rename-folder':
      return text.renameFolder;
    case 'project':
      return text.projectTitle(asking.folder.name);
  }
}

function Form({ asking, onDone }: { asking: ChatDialog; onDone: () => void }) {
  const { rename, renameFolder, createFolder } = useOrganiseCalls();
  switch (asking.kind) {
    case 'rename': {
      const { id, title } = asking.conversation;
      const save = (next: string) => rename.mutateAsync({ id, title: next });
      return <NameForm label={text.titleField} initial={title} maxLength={200} onSave={save} onDone={onDone} />;
    }
    case 'rename-folder': {
      const { id, name } = asking.folder;
      const save = (next: string) => renameFolder.mutateAsync({ id, name: next });
      return <NameForm label={text.folderName} initial={name} maxLength={60} onSave={save} onDone={onDone} />;
    }
    case 'new-folder': {
      const save = (name: string) => createFolder.mutateAsync({ name });
      return <NameForm label={text.folderName} initial="" maxLength={60} onSave={save} onDone={onDone} />;
    }
    case 'project':
      return <ProjectDialog folder={asking.folder} onDone={onDone} />;
    case 'move':
      return <MoveForm conversations={asking.conversations} onDone={onDone} />;
    case 'tags':
      return <TagsForm conversations={asking.conversations} onDone={onDone} />;
    case 'export':
      return <ExportForm conversations={asking.conversations} onDone={onDone} />;
    case 'forever':
      return <ForeverForm conversations={asking.conversations} onDone={onDone} />;
    case 'empty-trash':
      return <EmptyTrashForm onDone={onDone} />;
  }
}

/** Confirms the only action here that cannot be undone. */
function EmptyTrashForm({ onDone }: { onDone: () => void }) {
  const overview = useOverview();
  return <DeleteForm ids={null} count={overview.data?.trashed ?? 0} action={text.emptyTrash} onDone={onDone} />;
}

function ForeverForm({ conversations, onDone }: { conversations: readonly Conversation[]; onDone: () => void }) {
  const ids = conversations.map((conversation) => conversation.id);
  return <DeleteForm ids={ids} count={ids.length} action={text.removeForever} onDone={onDone} />;
}

interface DeleteFormProps {
  ids: string[] | null;
  count: number;
  action: string;
  onDone: () => void;
}

function DeleteForm({ ids, count, action, onDone }: DeleteFormProps) {
  const { emptyTrash } = useOrganiseCalls();
  const { inform, failed } = useNotify();
  const removeNow = () =>
    emptyTrash.mutate(ids, {
      onSuccess: ({ removed }) => {
        onDone();
        inform(text.emptied(removed));
      },
      onError: (error) => failed(text.failed, error),
    });
  return (
    <>
      <p className="text-fg-2">{text.emptyBody(count)}</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button variant="danger" disabled={emptyTrash.isPending} onClick={removeNow}>
          {action}
        </Button>
      </div>
    </>
  );
}

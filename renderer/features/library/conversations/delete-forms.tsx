import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { text } from '../../../text/conversations-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useOrganiseCalls, useOverview } from './use-organise.ts';

/** Confirms the only action here that cannot be undone. */
export function EmptyTrashForm({ onDone }: { onDone: () => void }) {
  const overview = useOverview();
  return <DeleteForm ids={null} count={overview.data?.trashed ?? 0} action={text.emptyTrash} onDone={onDone} />;
}

export function ForeverForm({ conversations, onDone }: { conversations: readonly Conversation[]; onDone: () => void }) {
  const ids = conversations.map((each) => each.id);
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
  const { say, failed } = useNotify();
  const removeNow = () =>
    emptyTrash.mutate(ids, {
      onSuccess: ({ removed }) => {
        onDone();
        say(text.emptied(removed));
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

import { Archive, ArchiveRestore, Download, Folder, Pin, RotateCcw, Tag, Trash2, X } from 'lucide-react';
import { useEffect } from 'react';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { text } from '../../../text/conversations-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { useChatDialog } from './chat-dialog.ts';
import { getSelected, useSelection } from './selection.ts';
import { type Act, changes, useAct } from './use-act.ts';

/** Actions on all selected chats. */
export function BulkBar({ conversations }: { conversations: readonly Conversation[] }) {
  const { ids, set } = useSelection();
  const ask = useChatDialog((state) => state.ask);
  const { act } = useAct();
  const selected = getSelected(conversations, ids);
  const chosen = selected.map((each) => each.id);
  useEffect(() => () => set([]), [set]);
  if (selected.length === 0) return null;
  const inTrash = selected.every((each) => each.trashedAt !== null);
  const archived = selected.every((each) => each.archived);
  const run = (change: Act) => {
    set([]);
    void act(...change);
  };
  return (
    <div
      role="toolbar"
      aria-label={text.bulk}
      className="m-3 flex shrink-0 flex-wrap items-center gap-1 rounded-dialog border border-line bg-raised px-3 py-2 shadow-float"
    >
      <span role="status" className="px-1 font-medium tabular-nums">
        {text.selected(selected.length)}
      </span>
      <Button variant="quiet" onClick={() => set(conversations.map((each) => each.id))}>
        {text.selectAll}
      </Button>
      <span className="flex-1" />
      {inTrash ? (
        <>
          <IconButton icon={RotateCcw} label={text.restore} onClick={() => run(changes.restore(chosen))} />
          <IconButton
            icon={Trash2}
            label={text.removeForever}
            onClick={() => ask({ kind: 'forever', conversations: selected })}
          />
        </>
      ) : (
        <>
          <IconButton icon={Pin} label={text.pin} onClick={() => run(changes.pin(chosen))} />
          <IconButton icon={Folder} label={text.move} onClick={() => ask({ kind: 'move', conversations: selected })} />
          <IconButton icon={Tag} label={text.tags} onClick={() => ask({ kind: 'tags', conversations: selected })} />
          <IconButton
            icon={Download}
            label={text.export}
            onClick={() => ask({ kind: 'export', conversations: selected })}
          />
          {archived ? (
            <IconButton icon={ArchiveRestore} label={text.unarchive} onClick={() => run(changes.unarchive(chosen))} />
          ) : (
            <IconButton icon={Archive} label={text.archive} onClick={() => run(changes.archive(chosen))} />
          )}
          <IconButton icon={Trash2} label={text.remove} onClick={() => run(changes.trash(chosen))} />
        </>
      )}
      <IconButton icon={X} label={text.clear} onClick={() => set([])} />
    </div>
  );
}

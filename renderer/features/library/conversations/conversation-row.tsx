import { ChevronRight, Folder, FolderOpen, FolderPlus, Hand, LoaderCircle, Pin } from 'lucide-react';
import { type DragEvent, useState } from 'react';
import { newChatIn, useNav } from '../../../navigation/nav.ts';
import { text as organiseText } from '../../../text/conversations-text.ts';
import { text } from '../../../text/shell-text.ts';
import { ContextMenu, MenuItem } from '../../../ui/dialogs/menu.tsx';
import { classNames } from '../../../ui/elements/class-names.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { useChatDialog } from './chat-dialog.ts';
import { ConversationActions } from './conversation-actions.tsx';
import type { ListRow } from './list-rows.ts';
import { useOpenFolders } from './open-folders.ts';
import { useAct } from './use-act.ts';

const dragged = 'application/x-portico-chat';
const rowClass =
  'flex h-full w-full items-center gap-2 rounded-control px-2 text-left text-fg-2 hover:bg-hover hover:text-fg focus-visible:outline-offset-[-2px] aria-[current=page]:bg-active aria-[current=page]:font-medium aria-[current=page]:text-fg';

interface RowProps<Row extends ListRow = ListRow> {
  row: Row;
  index: number;
  tabIndex: number;
  current: boolean;
  onChoose: () => void;
}
type RowOf<Kind extends ListRow['kind']> = RowProps<Extract<ListRow, { kind: Kind }>>;

export function ConversationRow(props: RowProps) {
  const { row } = props;
  switch (row.kind) {
    case 'heading':
      return <Heading row={row} />;
    case 'folder':
      return <FolderRow {...props} row={row} />;
    case 'chat':
      return <ChatRow {...props} row={row} />;
    case 'more':
      return (
        <Link
          to={{ page: 'chats', view: 'active', query: `folder:"${row.folder.name}"` }}
          data-row={props.index}
          tabIndex={props.tabIndex}
          onClick={props.onChoose}
          className={classNames(rowClass, 'pl-7 text-accent')}
        >
          {organiseText.showAll}
        </Link>
      );
  }
}

function Heading({ row }: { row: Extract<ListRow, { kind: 'heading' }> }) {
  const ask = useChatDialog((state) => state.ask);
  return (
    <div className="flex h-full items-end justify-between pb-1 pl-2">
      <h2 className="font-medium text-fg-3 text-xs">{row.label}</h2>
      {row.addsFolder && (
        <IconButton
          icon={FolderPlus}
          label={organiseText.newFolder}
          size="sm"
          className="-mb-1"
          onClick={() => ask({ kind: 'new-folder' })}
        />
      )}
    </div>
  );
}

function ChatRow({ row, index, tabIndex, current, onChoose }: RowOf<'chat'>) {
  const { conversation } = row;
  return (
    <ContextMenu
      trigger={
        <Link
          to={{ page: 'chat', conversationId: conversation.id }}
          data-row={index}
          tabIndex={tabIndex}
          onClick={onChoose}
          draggable
          onDragStart={(event) => {
            event.dataTransfer.setData(dragged, conversation.id);
            event.dataTransfer.effectAllowed = 'move';
          }}
          aria-current={current ? 'page' : undefined}
          aria-haspopup="menu"
          className={classNames(rowClass, row.inside && 'pl-7')}
        >
          <span
            title={conversation.title}
            className={classNames('min-w-0 flex-1 truncate', conversation.unread && 'font-semibold text-fg')}
          >
            {conversation.title}
          </span>
          {conversation.pinned && row.inside && (
            <Pin size={12} className="shrink-0 text-fg-3" role="img" aria-label={text.pinned} />
          )}
          {conversation.waiting && (
            <Hand size={14} className="shrink-0 text-accent" role="img" aria-label={text.waiting} />
          )}
          {conversation.live && !conversation.waiting && (
            <LoaderCircle size={14} className="spin shrink-0 text-accent" role="img" aria-label={text.writing} />
          )}
          {conversation.unread && !conversation.live && (
            <span className="mr-0.5 size-2 shrink-0 rounded-full bg-accent" role="img" aria-label={text.unread} />
          )}
        </Link>
      }
    >
      <ConversationActions conversation={conversation} />
    </ContextMenu>
  );
}

function FolderRow({ row, index, tabIndex }: RowOf<'folder'>) {
  const { folder, open } = row;
  const toggle = useOpenFolders((state) => state.toggle);
  const ask = useChatDialog((state) => state.ask);
  const { act, dropFolder } = useAct();
  const [over, setOver] = useState(false);
  const Icon = open ? FolderOpen : Folder;
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const id = event.dataTransfer.getData(dragged);
    if (id) void act([id], { folderId: folder.id }, organiseText.done.moved(1, folder.name));
  };
  return (
    <ContextMenu
      trigger={
        <button
          type="button"
          data-row={index}
          tabIndex={tabIndex}
          aria-expanded={open}
          aria-label={organiseText.folderOf(folder.name, folder.conversations)}
          onClick={() => toggle(folder.id)}
          onDragOver={(event) => {
            if (!event.dataTransfer.types.includes(dragged)) return;
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={onDrop}
          className={classNames(rowClass, over && 'bg-active outline-2 outline-ring')}
        >
          <Icon size={15} strokeWidth={1.75} className="shrink-0 text-fg-3" aria-hidden />
          <span title={folder.name} className="min-w-0 flex-1 truncate">
            {folder.name}
          </span>
          <span className="text-fg-3 text-xs tabular-nums">{folder.conversations}</span>
          <ChevronRight size={14} className={classNames('shrink-0 text-fg-3', open && 'rotate-90')} aria-hidden />
        </button>
      }
    >
      <MenuItem onClick={() => useNav.getState().go(newChatIn(folder.id))}>{organiseText.newChatIn}</MenuItem>
      <MenuItem onClick={() => ask({ kind: 'project', folder })}>{organiseText.project}</MenuItem>
      <MenuItem onClick={() => ask({ kind: 'rename-folder', folder })}>{organiseText.renameFolder}</MenuItem>
      <MenuItem danger onClick={() => void dropFolder(folder.id)}>
        {organiseText.removeFolder}
      </MenuItem>
    </ContextMenu>
  );
}

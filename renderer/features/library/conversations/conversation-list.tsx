import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronRight, Folder, FolderOpen, FolderPlus, Hand, LoaderCircle, Pin } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { newChatIn, useNav } from '../../../navigation/nav.ts';
import { text as organiseText } from '../../../text/conversations-text.ts';
import { text } from '../../../text/shell-text.ts';
import { ContextMenu, MenuItem } from '../../../ui/dialogs/menu.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { classNames } from '../../../ui/elements/class-names.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { rowsWith } from '../../../ui/elements/rows-with.ts';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useChatDialog } from './chat-dialog.ts';
import { ConversationActions } from './conversation-actions.tsx';
import type { ListRow } from './list-rows.ts';
import { useOpenFolders } from './open-folders.ts';
import { changes, useAct } from './use-act.ts';
import { useListRows } from './use-list-rows.ts';

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

function ConversationRow(props: RowProps) {
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
          aria-label={organiseText.folderLabel(folder.name, folder.conversations)}
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

const rowHeight = () => (document.documentElement.dataset.density === 'compact' ? 28 : 32);
/** The next page is loaded this many rows before the end. */
const ahead = 30;

/** The conversation list, virtualised. Arrows, Home and End move through it. */
export function ConversationList({ onChoose }: { onChoose: () => void }) {
  'use no memo';
  const scroller = useRef<HTMLDivElement>(null);
  const loc = useNav((nav) => nav.loc);
  const current = loc.page === 'chat' ? loc.conversationId : null;
  const { rows: listed, recent, loading } = useListRows();
  const rows = listed();
  const [focused, setFocused] = useState<string | null>(null);
  const focusable = rows.flatMap((row, index) => (row.kind === 'heading' ? [] : [index]));
  const here = rows.findIndex((row) => row.kind === 'chat' && row.conversation.id === current);
  const same = rows.findIndex((row) => row.key === focused);
  const stop = same >= 0 ? same : here >= 0 ? here : (focusable[0] ?? -1);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: rowHeight,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 12,
    // The focused row stays mounted.
    rangeExtractor: (range) => rowsWith(range, [stop]),
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = recent;
  const last = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last + ahead >= rows.length) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, rows.length]);

  const { act } = useAct();
  const ask = useChatDialog((state) => state.ask);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const row = rows[stop];
    const position = focusable.indexOf(stop);
    const next = { ArrowDown: position + 1, ArrowUp: position - 1, Home: 0, End: focusable.length - 1 }[event.key];
    if (
      next !== undefined &&
      !event.altKey &&
      event.target instanceof HTMLElement &&
      event.target.closest('[data-row]')
    ) {
      event.preventDefault();
      const index = focusable[Math.max(0, Math.min(focusable.length - 1, next))];
      if (index === undefined) return;
      setFocused(rows[index]?.key ?? null);
      virtual.scrollToIndex(index, { align: 'auto' });
      requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus());
      return;
    }
    if (row?.kind !== 'chat' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Delete') void act(...changes.trash([row.conversation.id]));
    else if (event.key === 'F2') ask({ kind: 'rename', conversation: row.conversation });
    else return;
    event.preventDefault();
  };

  const failure = recent.isError && !recent.data;
  if (failure) {
    return (
      <div role="alert" className="px-4 py-2 text-fg-2">
        <p>{text.chatsFailed}</p>
        <Button className="mt-2" onClick={() => void recent.refetch()}>
          {text.retry}
        </Button>
      </div>
    );
  }
  return (
    <div ref={scroller} className="h-full overflow-y-auto px-2">
      {loading && <SkeletonRows rows={8} label={text.loadingChats} />}
      {!loading && rows.length === 0 && <p className="px-2 py-2 text-fg-3">{text.noChats}</p>}
      {rows.length > 0 && (
        <ul className="relative" style={{ height: virtual.getTotalSize() }} onKeyDown={onKeyDown}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            return (
              <li
                key={item.key}
                className="absolute inset-x-0 top-0"
                style={{ height: item.size, transform: `translateY(${item.start}px)` }}
                onFocus={() => setFocused(row.key)}
              >
                <ConversationRow
                  row={row}
                  index={item.index}
                  tabIndex={item.index === stop ? 0 : -1}
                  current={row.kind === 'chat' && row.conversation.id === current}
                  onChoose={onChoose}
                />
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

import { useVirtualizer } from '@tanstack/react-virtual';
import { Archive, ArchiveRestore, Download, Folder, Pin, RotateCcw, Tag, Trash2, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { create } from 'zustand';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import type { SearchHit, TextRun } from '#shared/contract/chat/search.ts';
import { isFocusFree, useHandle } from '../../../handles/handles.ts';
import { type ChatsView, chatsViews, useNav } from '../../../navigation/nav.ts';
import { PageHeader } from '../../../page/page-header.tsx';
import { text } from '../../../text/conversations-text.ts';
import { getSentence } from '../../../text/error-text.ts';
import { getDay } from '../../../text/format.ts';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { SearchField } from '../../../ui/forms/search-field.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { getHitAuthor } from '../../search/hit-author.ts';
import { MarkedText } from '../../search/marked-text.tsx';
import { seekInTools } from '../../search/seek-in-tools.ts';
import { useSearch } from '../../search/use-search.ts';
import { useChatDialog } from './chat-dialog.ts';
import { type Act, changes, useAct } from './use-act.ts';
import { useConversationPages, useOverview } from './use-organise.ts';

interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string, selected: boolean) => void;
  readonly set: (ids: readonly string[]) => void;
}

const useSelection = create<Selection>()((set, get) => ({
  ids: new Set(),
  toggle: (id, selected) => {
    const ids = new Set(get().ids);
    if (selected) ids.add(id);
    else ids.delete(id);
    set({ ids });
  },
  set: (ids) => set({ ids: new Set(ids) }),
}));

/** Returns the selected chats that are still listed. */
const getSelected = (conversations: readonly Conversation[], ids: ReadonlySet<string>): Conversation[] =>
  conversations.filter((conversation) => ids.has(conversation.id));

interface ChatsPageProps {
  view: ChatsView;
  query: string;
}

/** All chats: search, organise, restore. The query is part of the location, so Back restores it. */
export function ChatsPage({ view, query }: ChatsPageProps) {
  const { replace, go } = useNav.getState();
  const field = useRef<HTMLInputElement>(null);
  useHandle('chatSearch', { focus: () => field.current?.focus() });
  const overview = useOverview();
  const ask = useChatDialog((state) => state.ask);
  const searching = query.trim() !== '';
  return (
    <>
      <PageHeader title={text.title} />
      <div className="flex flex-wrap items-center gap-2 px-5 pb-2 max-sm:px-3">
        <div className="flex min-w-40 flex-1 [&>div]:sm:max-w-none">
          <SearchField
            label={text.search}
            value={query}
            inputRef={(element) => {
              field.current = element;
              // Focuses the search field when the page opens.
              if (element && isFocusFree()) element.focus();
            }}
            onChange={(next) => replace({ page: 'chats', view, query: next })}
          />
        </div>
        <Segmented
          label={text.view}
          value={view}
          options={chatsViews.map((value) => ({ value, label: text.views[value] }))}
          onChange={(next) => go({ page: 'chats', view: next, query: '' })}
        />
        {view === 'trash' && (
          <Button variant="danger" disabled={!overview.data?.trashed} onClick={() => ask({ kind: 'empty-trash' })}>
            {text.emptyTrash}
          </Button>
        )}
      </div>
      {searching ? <Results query={query} /> : <Listing view={view} key={view} />}
    </>
  );
}

function Results({ query }: { query: string }) {
  const found = useSearch(query);
  const go = useNav((nav) => nav.go);
  const entries: ChatEntry[] = found.hits.map(({ conversation, title, message }) => ({
    key: `${conversation.id} ${message?.id ?? ''}`,
    conversation,
    title,
    message,
  }));
  const conversations = [...new Map(entries.map((entry) => [entry.conversation.id, entry.conversation])).values()];
  return (
    <>
      <p role="status" className="px-5 pb-1 text-fg-3 text-xs max-sm:px-3">
        {found.data && text.found(entries.length, found.hasNextPage)} {!found.data && text.searchHelp}
      </p>
      {found.problems.length > 0 && (
        <div className="px-5 pb-2 max-sm:px-3">
          <Notice tone="warn">{found.problems.map(getSentence).join(' ')}</Notice>
        </div>
      )}
      {found.isError && !found.data && (
        <div className="px-5">
          <Failure title={text.searchFailed} error={found.error} onRetry={() => void found.refetch()} />
        </div>
      )}
      {found.data && entries.length === 0 && found.problems.length === 0 && (
        <div className="px-5 py-6 text-center text-fg-2">
          <p className="mb-3">{text.nothing}</p>
          <Button onClick={() => go({ page: 'chat', conversationId: null })}>{text.askInstead}</Button>
        </div>
      )}
      <ChatTable
        label={text.openNamed}
        entries={entries}
        onEnd={found.hasNextPage && !found.isFetchingNextPage ? () => void found.fetchNextPage() : null}
      />
      <BulkBar conversations={conversations} />
    </>
  );
}

function Listing({ view }: { view: ChatsView }) {
  const list = useConversationPages({ view });
  const overview = useOverview();
  const entries: ChatEntry[] = list.conversations.map((conversation) => ({
    key: conversation.id,
    conversation,
    title: null,
    message: null,
  }));
  return (
    <>
      {view === 'trash' && (
        <p className="px-5 pb-2 text-fg-3 text-xs max-sm:px-3">{text.trashNote(overview.data?.trashDays ?? 30)}</p>
      )}
      {list.isPending && (
        <div className="px-5">
          <SkeletonRows rows={8} label={text.loading} />
        </div>
      )}
      {list.isError && !list.data && (
        <div className="px-5">
          <Failure title={text.listFailed} error={list.error} onRetry={() => void list.refetch()} />
        </div>
      )}
      {list.data && entries.length === 0 && <p className="px-5 py-6 text-center text-fg-2">{text.empty[view]}</p>}
      <ChatTable
        label={text.views[view]}
        entries={entries}
        onEnd={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : null}
      />
      <BulkBar conversations={list.conversations} />
    </>
  );
}

/** Actions on all selected chats. */
function BulkBar({ conversations }: { conversations: readonly Conversation[] }) {
  const { ids, set } = useSelection();
  const ask = useChatDialog((state) => state.ask);
  const { act } = useAct();
  const selected = getSelected(conversations, ids);
  const chosen = selected.map((conversation) => conversation.id);
  useEffect(() => () => set([]), [set]);
  if (selected.length === 0) return null;
  const inTrash = selected.every((conversation) => conversation.trashedAt !== null);
  const archived = selected.every((conversation) => conversation.archived);
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
      <Button variant="quiet" onClick={() => set(conversations.map((conversation) => conversation.id))}>
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

interface ChatEntry {
  readonly key: string;
  readonly conversation: Conversation;
  /** The title with highlighted matches. Null: plain. */
  readonly title: readonly TextRun[] | null;
  readonly message: SearchHit['message'];
}

interface ChatTableProps {
  label: string;
  entries: readonly ChatEntry[];
  /** Loads more. Null: everything is loaded or loading. */
  onEnd: (() => void) | null;
}

/** A table of chats with checkboxes. Arrows move, Space selects, Enter opens, Delete removes. */
function ChatTable({ label, entries, onEnd }: ChatTableProps) {
  'use no memo';
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (entries[index]?.message ? 76 : 48),
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: 10,
  });
  const last = rows.range?.endIndex ?? 0;
  useEffect(() => {
    if (onEnd && last + 10 >= entries.length) onEnd();
  }, [onEnd, last, entries.length]);
  const { act } = useAct();
  const { ids, toggle } = useSelection();

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-index]') : null;
    const rowIndex = Number(row?.dataset.index);
    const entry = entries[rowIndex];
    if (!row || !entry || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = { ArrowDown: rowIndex + 1, ArrowUp: rowIndex - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      const index = Math.max(0, Math.min(entries.length - 1, next));
      rows.scrollToIndex(index);
      requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.focus());
    } else if (event.key === ' ' && event.target instanceof HTMLAnchorElement) {
      event.preventDefault();
      toggle(entry.conversation.id, !ids.has(entry.conversation.id));
    } else if (event.key === 'Delete' && entry.conversation.trashedAt === null) {
      event.preventDefault();
      void act(...changes.trash([entry.conversation.id]));
    }
  };
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-3 pb-4 max-sm:px-1">
      {entries.length > 0 && (
        <ul aria-label={label} className="relative" style={{ height: rows.getTotalSize() }} onKeyDown={onKeyDown}>
          {rows.getVirtualItems().map((row) => {
            const entry = entries[row.index];
            if (!entry) return null;
            return (
              <li
                key={row.key}
                data-index={row.index}
                ref={rows.measureElement}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${row.start}px)` }}
              >
                <Entry entry={entry} selected={ids.has(entry.conversation.id)} onSelect={toggle} />
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

interface EntryProps {
  entry: ChatEntry;
  selected: boolean;
  onSelect: (id: string, selected: boolean) => void;
}

function Entry({ entry: { conversation, title, message }, selected, onSelect }: EntryProps) {
  const overview = useOverview();
  const folder = overview.data?.folders.find((candidate) => candidate.id === conversation.folderId);
  const when = message?.createdAt ?? conversation.updatedAt;
  return (
    <div className="flex items-start gap-3 rounded-menu px-2 py-2 hover:bg-hover has-[input:checked]:bg-accent-soft">
      <input
        type="checkbox"
        aria-label={text.select(conversation.title)}
        checked={selected}
        onChange={(event) => onSelect(conversation.id, event.target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <Link
        to={{ page: 'chat', conversationId: conversation.id, ...(message ? { messageId: message.id } : {}) }}
        onClick={() => seekInTools(message)}
        className="min-w-0 flex-1 rounded-control focus-visible:outline-offset-2"
      >
        <span className="flex items-center gap-2">
          {conversation.pinned && <Pin size={12} className="shrink-0 text-fg-3" role="img" aria-label={text.pinned} />}
          <span title={conversation.title} className="min-w-0 truncate font-medium">
            {title ? <MarkedText runs={title} /> : conversation.title}
          </span>
          {conversation.archived && <Badge>{text.archivedBadge}</Badge>}
        </span>
        {message && (
          <span className="mt-0.5 line-clamp-2 text-fg-2">
            <span className="text-fg-3">{getHitAuthor(message)}: </span>
            <MarkedText runs={message.snippet} />
          </span>
        )}
        <span className="mt-0.5 flex flex-wrap items-center gap-x-2 text-fg-3 text-xs">
          <time dateTime={new Date(when).toISOString()}>{getDay(when)}</time>
          {folder && (
            <span className="inline-flex items-center gap-1">
              <Folder size={11} aria-hidden />
              {folder.name}
            </span>
          )}
          {conversation.tags.map((tag) => (
            <span key={tag}>#{tag}</span>
          ))}
          {conversation.trashedAt !== null && <span>{text.trashedOn(getDay(conversation.trashedAt))}</span>}
        </span>
      </Link>
    </div>
  );
}

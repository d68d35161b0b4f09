import { useVirtualizer } from '@tanstack/react-virtual';
import { Folder, Pin } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import type { SearchHit, TextRun } from '#shared/contract/chat/search.ts';
import { text } from '../../../text/conversations-text.ts';
import { getDay } from '../../../text/format.ts';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { MarkedText } from '../../search/marked-text.tsx';
import { saidBy } from '../../search/said-by.ts';
import { seekInTools } from '../../search/seek-in-tools.ts';
import { useSelection } from './selection.ts';
import { changes, useAct } from './use-act.ts';
import { useOverview } from './use-organise.ts';

export interface ChatEntry {
  readonly key: string;
  readonly conversation: Conversation;
  /** The title with highlighted matches; null: plain. */
  readonly title: readonly TextRun[] | null;
  readonly message: SearchHit['message'];
}

interface ChatTableProps {
  label: string;
  entries: readonly ChatEntry[];
  /** Loads more; null: all is loaded or loading. */
  onEnd: (() => void) | null;
}

/** A table of chats with checkboxes. Arrows move, Space selects, Enter opens, Delete removes. */
export function ChatTable({ label, entries, onEnd }: ChatTableProps) {
  'use no memo';
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (entries[at]?.message ? 76 : 48),
    getItemKey: (at) => entries[at]?.key ?? at,
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
    const at = Number(row?.dataset.index);
    const entry = entries[at];
    if (!row || !entry || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key];
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
  const folder = overview.data?.folders.find((each) => each.id === conversation.folderId);
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
            <span className="text-fg-3">{saidBy(message)}: </span>
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

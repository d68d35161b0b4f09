import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useNav } from '../../../navigation/nav.ts';
import { text } from '../../../text/shell-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { rowsWith } from '../../../ui/elements/rows-with.ts';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useChatDialog } from './chat-dialog.ts';
import { ConversationRow } from './conversation-row.tsx';
import { changes, useAct } from './use-act.ts';
import { useListRows } from './use-list-rows.ts';

const rowHeight = () => (document.documentElement.dataset.density === 'compact' ? 28 : 32);
/** Rows before the end at which the next page is loaded. */
const ahead = 30;

/** The conversation list, virtualised; arrows, Home and End move through it. */
export function ConversationList({ onChoose }: { onChoose: () => void }) {
  'use no memo';
  const scroller = useRef<HTMLDivElement>(null);
  const loc = useNav((nav) => nav.loc);
  const current = loc.page === 'chat' ? loc.conversationId : null;
  const { rows: listed, recent, loading } = useListRows();
  const rows = listed();
  const [focused, setFocused] = useState<string | null>(null);
  const focusable = rows.flatMap((row, at) => (row.kind === 'heading' ? [] : [at]));
  const here = rows.findIndex((row) => row.kind === 'chat' && row.conversation.id === current);
  const kept = rows.findIndex((row) => row.key === focused);
  const stop = kept >= 0 ? kept : here >= 0 ? here : (focusable[0] ?? -1);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: rowHeight,
    getItemKey: (at) => rows[at]?.key ?? at,
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
    const at = focusable.indexOf(stop);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: focusable.length - 1 }[event.key];
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

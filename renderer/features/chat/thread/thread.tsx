import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { text } from '../../../text/chat-text.ts';
import { text as views } from '../../../text/shell-text.ts';
import { rowsWith } from '../../../ui/elements/rows-with.ts';
import { Comparison } from '../compare/thread/comparison.tsx';
import { NotSentMark } from '../context/not-sent-mark.tsx';
import { Answer } from '../message/answer.tsx';
import { UserMessage } from '../message/user-message.tsx';
import type { MessageActions } from '../state/message-actions.ts';
import { getHead, type ThreadItem } from '../state/thread-items.ts';
import { useThreadKeys } from '../state/use-thread-keys.ts';
import { LatestPill } from './latest-pill.tsx';
import { MessageMenu, useMessageMenu } from './message-menu.tsx';
import { openingOffset, rowHeight } from './row-height.ts';
import { rowsOfSelectionEnds } from './selected-rows.ts';
import { useFollowing } from './use-following.ts';
import { type Pages, useReading } from './use-reading.ts';
import type { ScrollPositions } from './use-scroll-positions.ts';
import { useTurn } from './use-turn.ts';
import { useWholeCopies } from './use-whole-copies.ts';

export interface ThreadProps {
  items: readonly ThreadItem[];
  snapshot: string;
  hasOlder: boolean;
  hasNewer: boolean;
  /** An answer is being written in this conversation. */
  busy: boolean;
  pages: Pages;
  scrollPositions: ScrollPositions;
  /** The message in the address: scrolled to and highlighted. */
  wanted: string | undefined;
  actions: MessageActions;
}

/** The messages, virtualised. */
export function Thread({
  items,
  snapshot,
  hasOlder,
  hasNewer,
  busy,
  pages,
  scrollPositions,
  wanted,
  actions,
}: ThreadProps) {
  'use no memo';
  const scroller = useRef<HTMLDivElement>(null);
  const inTurn = useRef(false);
  const holding = useRef<(() => void) | null>(null);
  const end = useFollowing(scroller, scrollPositions.start() === null, inTurn, holding);
  const atEnd = end.following && !hasNewer;
  const toActive = useRef(-1);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (items[at] ? rowHeight(items[at]) : 0),
    // Renders the visible rows first: the window is about as tall as the thread.
    initialOffset: () => openingOffset(items, scrollPositions.start(), window.innerHeight),
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    getItemKey: (at) => headAt(items, at),
    overscan: 4,
    paddingStart: 12,
    paddingEnd: 20,
    anchorTo: 'end',
    followOnAppend: atEnd,
    scrollEndThreshold: atEnd ? 48 : -1,
    // The focused message and the ends of the selection stay mounted.
    rangeExtractor: (range) => rowsWith(range, [toActive.current, ...rowsOfSelectionEnds(scroller.current)]),
  });
  const focus = (at: number) => {
    if (at < items.length - 1) end.leave();
    toActive.current = at;
    rows.scrollToIndex(at, { align: 'auto' });
    focusSoon(scroller.current, headAt(items, at));
  };
  const loaded = { items, snapshot, hasOlder, hasNewer };
  const turn = useTurn(items, scrollPositions, rows);
  inTurn.current = turn.on;
  const reading = useReading({
    rows,
    scroller,
    holding,
    loaded,
    busy,
    end,
    turn,
    focus,
    pages,
    scrollPositions,
    wanted,
  });
  const { toLatest, unseen, below } = reading;
  const { active, onKeyDown, onFocus } = useThreadKeys({ items, actions, busy, focus, toLatest });
  toActive.current = active;
  const menu = useMessageMenu();
  useWholeCopies({ thread: scroller, items, hasOlder, hasNewer });
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-label={text.thread}
        aria-live="off"
        aria-busy={busy}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by keyboard
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
        {...menu.on}
        className="h-full overflow-y-auto overscroll-contain px-[18px] [overflow-anchor:none] [scrollbar-gutter:stable_both-edges] focus-visible:outline-offset-[-2px]"
      >
        {items.length === 0 && <p className="measure py-10 text-center text-fg-2">{text.noMessages}</p>}
        <div className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((row) => {
            const item = items[row.index];
            if (!item) return null;
            const Row = item.columns ? Comparison : item.role === 'user' ? UserMessage : Answer;
            return (
              <div
                key={row.key}
                data-index={row.index}
                ref={rows.measureElement}
                className="absolute inset-x-0"
                style={{
                  // Not by a transform, which what sticks in a row does not see.
                  top: row.start,
                  minHeight: row.index === items.length - 1 && !hasNewer ? turn.roomPx : undefined,
                }}
              >
                <div className={item.columns ? 'mx-auto max-w-[96rem]' : 'measure max-w-[43rem]'}>
                  <NotSentMark messageId={getHead(item)}>
                    <ViewBoundary name={views.message}>
                      <Row
                        item={item}
                        busy={busy}
                        active={row.index === active}
                        last={row.index === items.length - 1 && !hasNewer}
                      />
                    </ViewBoundary>
                  </NotSentMark>
                </div>
              </div>
            );
          })}
        </div>
      </div>
      {menu.asked && (
        <MessageMenu key={menu.asked.time} {...menu.asked} items={items} busy={busy} onClosed={menu.forget} />
      )}
      {!atEnd && below && <LatestPill writing={busy} unseen={unseen} onClick={toLatest} />}
    </div>
  );
}

function headAt(items: readonly ThreadItem[], at: number): string {
  const item = items[at];
  return item ? getHead(item) : String(at);
}

/** When the row is rendered. */
function focusSoon(scroller: HTMLElement | null, head: string, tries = 5): void {
  requestAnimationFrame(() => {
    const element = scroller?.querySelector<HTMLElement>(`[data-message="${CSS.escape(head)}"]`);
    if (element) element.focus({ preventScroll: true });
    else if (tries > 0) focusSoon(scroller, head, tries - 1);
  });
}

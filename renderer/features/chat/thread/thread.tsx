import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type MouseEvent, useRef, useState } from 'react';
import type { ScrollPosition } from '#shared/contract/chat/conversations.ts';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { text } from '../../../text/chat-text.ts';
import { text as views } from '../../../text/shell-text.ts';
import { type Point, PointMenu } from '../../../ui/dialogs/menu.tsx';
import { rowsWith } from '../../../ui/elements/rows-with.ts';
import { Comparison } from '../compare/thread/comparison.tsx';
import { NotSentMark } from '../context/not-sent-mark.tsx';
import { Answer } from '../message/answer.tsx';
import { MessageItems } from '../message/message-menu-items.tsx';
import { UserMessage } from '../message/user-message.tsx';
import type { MessageActions } from '../state/message-actions.ts';
import { getAnswers, getHead, holds, type ThreadItem } from '../state/thread-items.ts';
import { useThreadKeys } from '../state/use-thread-keys.ts';
import { rowsOfSelectionEnds } from './selected-rows.ts';
import { useFollowing } from './use-following.ts';
import { type Pages, useReading } from './use-reading.ts';
import type { ScrollPositions } from './use-scroll-positions.ts';
import { useTurn } from './use-turn.ts';
import { useWholeCopies } from './use-whole-copies.ts';

/** The message or column whose menu was opened, and the point where it was opened. */
interface Asked {
  readonly element: HTMLElement;
  readonly point: Point;
  /** Distinguishes this menu from the previous one, which may still be fading out. */
  readonly time: number;
}

/**
 * The context menu of the message under the pointer, or of the focused message. The handlers in `on` belong on the
 * element around all messages.
 */
function useMessageMenu() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const selectedBefore = useRef<boolean | null>(null);
  return {
    asked,
    forget: () => setAsked(null),
    on: {
      // macOS selects the word under the pointer before it opens a menu, so what counts is the selection before that.
      onPointerDown: () => {
        selectedBefore.current = hasSelection();
      },
      onContextMenu: (event: MouseEvent) => {
        const selected = selectedBefore.current ?? hasSelection();
        selectedBefore.current = null;
        const element = selected || event.defaultPrevented ? null : messageAt(event.target as Element);
        if (!element) return;
        event.preventDefault();
        setAsked({ element, point: { x: event.clientX, y: event.clientY }, time: event.timeStamp });
      },
    },
  };
}

interface MessageMenuProps extends Omit<Asked, 'time'> {
  items: readonly ThreadItem[];
  busy: boolean;
  onClosed: () => void;
}

function MessageMenu({ element, point, items, busy, onClosed }: MessageMenuProps) {
  const head = element.dataset.column ?? element.dataset.message;
  const row = items.find((item) => getAnswers(item).some((column) => getHead(column) === head));
  const item = row && getAnswers(row).find((column) => getHead(column) === head);
  if (!item) return null;
  return (
    <PointMenu point={point} returnsTo={element} onClosed={onClosed}>
      <MessageItems item={item} compared={row.columns !== undefined} busy={busy} />
    </PointMenu>
  );
}

/** Elements that have a context menu of the system, as selected text has. */
const withOwnMenu = 'a[href], img, video, input, textarea, select, [contenteditable]';

/** Returns the message that contains an element. A comparison is not a message, but each of its columns is. */
const messageAt = (target: Element): HTMLElement | null =>
  target.closest(withOwnMenu) ? null : target.closest<HTMLElement>('article[data-column], article[data-message]');

const hasSelection = (): boolean => String(getSelection() ?? '').trim() !== '';

/** Sizes as in `prose.css`, used to estimate the height of a row until it is measured. */
const lineHeight = 24;
const gap = 14;
const own = { around: 76, charactersPerLine: 78, files: 58 };
const answer = { around: 112, charactersPerLine: 110, images: 432 };
const columnCharactersPerLine = 44;
/** Only this many characters of a text are split into lines; the rest counts as full lines. */
const maxSplitCharacters = 20_000;

const known = new WeakMap<ThreadItem, number>();

/** Estimated height of a row, so that the first render shows the right rows and little moves when they are measured. */
function rowHeight(item: ThreadItem): number {
  const before = known.get(item);
  if (before !== undefined) return before;
  const height = guess(item);
  known.set(item, height);
  return height;
}

function guess(item: ThreadItem): number {
  if (item.role === 'user')
    return own.around + textHeight(item.text, own.charactersPerLine) + (item.attachments.length > 0 ? own.files : 0);
  const perLine = item.columns ? columnCharactersPerLine : answer.charactersPerLine;
  const heights = getAnswers(item).map(
    ({ text, attachments }) => textHeight(text, perLine) + (attachments.length > 0 ? answer.images : 0),
  );
  return answer.around + Math.max(...heights);
}

function textHeight(text: string, perLine: number): number {
  const lines = text.slice(0, maxSplitCharacters).split('\n');
  const height = lines.reduce(
    (sum, line) => sum + (line === '' ? gap : Math.ceil(line.length / perLine) * lineHeight),
    0,
  );
  return height + (Math.max(0, text.length - maxSplitCharacters) / perLine) * lineHeight;
}

/** Returns the initial scroll offset by the same estimate: the saved position, or else the end. */
function openingOffset(
  items: readonly ThreadItem[],
  scrollPosition: ScrollPosition | null,
  viewHeight: number,
): number {
  const index = scrollPosition ? items.findIndex((item) => holds(item, scrollPosition.messageId)) : -1;
  const above = index < 0 ? items : items.slice(0, index);
  const height = above.reduce((sum, item) => sum + rowHeight(item), 0);
  return scrollPosition && index >= 0 ? height + scrollPosition.offsetPx : Math.max(0, height - viewHeight);
}

export interface ThreadProps {
  items: readonly ThreadItem[];
  snapshot: string;
  hasOlder: boolean;
  hasNewer: boolean;
  /** An answer is being written in this conversation. */
  busy: boolean;
  pages: Pages;
  scrollPositions: ScrollPositions;
  /** The message named in the address, which is scrolled to and highlighted. */
  wanted: string | undefined;
  actions: MessageActions;
}

/** Shows the messages of a chat. Only rows near the viewport are in the document. */
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
    estimateSize: (index) => (items[index] ? rowHeight(items[index]) : 0),
    // The first render takes the window's size for the thread's size, which is close enough to render the visible rows.
    initialOffset: () => openingOffset(items, scrollPositions.start(), window.innerHeight),
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    getItemKey: (index) => headAt(items, index),
    overscan: 4,
    paddingStart: 12,
    paddingEnd: 20,
    anchorTo: 'end',
    followOnAppend: atEnd,
    scrollEndThreshold: atEnd ? 48 : -1,
    // The focused message and the ends of the selection stay mounted.
    rangeExtractor: (range) => rowsWith(range, [toActive.current, ...rowsOfSelectionEnds(scroller.current)]),
  });
  const focus = (index: number) => {
    if (index < items.length - 1) end.leave();
    toActive.current = index;
    rows.scrollToIndex(index, { align: 'auto' });
    focusSoon(scroller.current, headAt(items, index));
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
                  // Uses `top`, because sticky elements in a row ignore a transform.
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

function headAt(items: readonly ThreadItem[], index: number): string {
  const item = items[index];
  return item ? getHead(item) : String(index);
}

/** Focuses a message as soon as its row is rendered. */
function focusSoon(scroller: HTMLElement | null, head: string, tries = 5): void {
  requestAnimationFrame(() => {
    const element = scroller?.querySelector<HTMLElement>(`[data-message="${CSS.escape(head)}"]`);
    if (element) element.focus({ preventScroll: true });
    else if (tries > 0) focusSoon(scroller, head, tries - 1);
  });
}

interface LatestPillProps {
  /** An answer is being written. */
  writing: boolean;
  /** Messages added since the reader left the end. */
  unseen: number;
  onClick: () => void;
}

/** A button that scrolls back to the end. */
function LatestPill({ writing, unseen, onClick }: LatestPillProps) {
  const label = writing ? text.follow : text.latest;
  return (
    <button
      type="button"
      onClick={onClick}
      className="arrive -translate-x-1/2 absolute bottom-3 left-1/2 flex h-8 items-center gap-1.5 rounded-full border border-line bg-raised px-3 font-medium text-sm tabular-nums shadow-float hover:bg-bubble"
    >
      <ArrowDown size={14} aria-hidden />
      {label}
      {unseen > 0 && <span className="text-fg-2">· {text.newMessages(unseen)}</span>}
    </button>
  );
}

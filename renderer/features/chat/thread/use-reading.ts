import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useHandle } from '../../../handles/handles.ts';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { text } from '../../../text/chat-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import type { ThreadStream } from '../data/follow-thread.ts';
import { getHead, holds, type ThreadItem } from '../state/thread-items.ts';
import type { useFollowing } from './use-following.ts';
import type { ScrollPositions } from './use-scroll-positions.ts';
import type { useTurn } from './use-turn.ts';

interface HeldPosition {
  readonly rows: Virtualizer<HTMLDivElement, Element>;
  readonly scroller: HTMLElement | null;
  readonly index: number;
  /** Pixels of the row above the viewport, which may change as it is measured. */
  readonly offsetPx: () => number;
  /** Whether the loaded messages are up to date. Until then, more of them may arrive in a moment. */
  readonly isFresh: () => boolean;
  /** Called when holding ends. `settled` is true if nothing moves any more, and false if it was stopped. */
  readonly done: (settled: boolean) => void;
}

const stableFrames = 4;
const maxFrames = 180;

/**
 * Scrolls a row to the top and holds it there until its surroundings are loaded, parsed and measured, or the reader scrolls.
 * Returns a function that stops it.
 */
function holdScrollPosition({ rows, scroller, index, offsetPx, isFresh, done }: HeldPosition): () => void {
  let over = false;
  let frames = 0;
  let stable = 0;
  const end = (settled: boolean) => {
    if (over) return;
    over = true;
    for (const name of ['wheel', 'keydown', 'pointerdown'] as const) scroller?.removeEventListener(name, stop);
    done(settled);
  };
  const stop = () => end(false);
  /** Returns the scroll offset of a place in the row. The padding above the first row belongs to its top. */
  const getPlace = (px: number) =>
    index === 0 && px === 0 ? 0 : (rows.getOffsetForIndex(index, 'start')?.[0] ?? 0) + px;
  const step = () => {
    if (over || !scroller) return stop();
    const wanted = Math.min(getPlace(offsetPx()), Math.max(0, rows.getTotalSize() - scroller.clientHeight));
    const there = Math.abs(scroller.scrollTop - wanted) <= 1;
    // Unparsed text will be taller.
    const parsed = scroller.querySelector('.prose[aria-busy]') === null;
    stable = there && parsed && isFresh() ? stable + 1 : 0;
    if (!there) rows.scrollToOffset(wanted);
    if (stable >= stableFrames || frames++ >= maxFrames) end(stable >= stableFrames);
    else requestAnimationFrame(step);
  };
  for (const name of ['wheel', 'keydown', 'pointerdown'] as const)
    scroller?.addEventListener(name, stop, { once: true });
  rows.scrollToIndex(index, { align: 'start' });
  step();
  return stop;
}

const getElement = (range: Range | null): Element | null =>
  range?.startContainer.parentElement?.closest('[data-index]') ?? null;

/** Returns the index of the thread row that contains a range. */
function toRow(range: Range | null): number | null {
  const index = getElement(range)?.getAttribute('data-index');
  return index == null ? null : Number(index);
}

function isInView(range: Range | null, scroller: Element | null): boolean {
  if (!range || !scroller) return false;
  const [place, view] = [range.getBoundingClientRect(), scroller.getBoundingClientRect()];
  return place.height > 0 && place.top >= view.top && place.bottom <= view.bottom;
}

/** Scrolls the elements around a range sideways until it is visible, such as a block of code with long lines. */
function showAcross(range: Range | null): void {
  const row = getElement(range);
  for (let box = range?.startContainer.parentElement; range && box && box !== row; box = box.parentElement) {
    if (box.scrollWidth <= box.clientWidth) continue;
    const [place, view] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
    if (place.left < view.left || place.right > view.right) box.scrollLeft += place.left - view.left - view.width / 3;
  }
}

/**
 * Returns a function that computes how many pixels of this row must be above the viewport for a search hit in it to be
 * visible: none if the hit is near the row's beginning. While the row is re-rendered, the last result stays.
 */
function pxAbove(range: () => Range | null, index: number, scroller: Element | null): () => number {
  let px = 0;
  return () => {
    const found = range();
    const row = getElement(found);
    if (!found || found.collapsed || !row || !scroller || toRow(found) !== index) return px;
    showAcross(found);
    const place = found.getBoundingClientRect().top - row.getBoundingClientRect().top;
    px = place < scroller.clientHeight / 2 ? 0 : place - scroller.clientHeight / 3;
    return px;
  };
}

export type Pages = Omit<ThreadStream, 'follow'>;

interface Reading {
  readonly rows: Virtualizer<HTMLDivElement, Element>;
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** The function that stops holding a scroll position; null while none is held. */
  readonly holding: RefObject<(() => void) | null>;
  readonly loaded: {
    readonly items: readonly ThreadItem[];
    readonly snapshot: string;
    readonly hasOlder: boolean;
    readonly hasNewer: boolean;
  };
  /** An answer is being written. */
  readonly busy: boolean;
  readonly end: ReturnType<typeof useFollowing>;
  readonly turn: ReturnType<typeof useTurn>;
  readonly focus: (index: number) => void;
  readonly pages: Pages;
  readonly scrollPositions: ScrollPositions;
  /** The message named in the address. */
  readonly wanted: string | undefined;
}

/** The next page is loaded when the reader is this many rows from an end. */
const near = 8;
const retryMs = 5000;
/** With fewer pixels than this below the viewport, the reader counts as being at the end. */
const nearEndPx = 48;

/** Restores and saves the scroll position of a conversation, loads pages, and jumps to messages. */
export function useReading(reading: Reading) {
  const { rows, scroller, holding, loaded, busy, end, turn, focus, pages, scrollPositions, wanted } = reading;
  const { items, snapshot, hasOlder, hasNewer } = loaded;
  const { following, follow, leave } = end;
  const { failed } = useNotify();
  const failedAt = useRef(Number.NEGATIVE_INFINITY);
  const seen = useRef<string | null>(null);
  const shown = useRef(snapshot);
  /** Returns the range of the last search hit; null if none was shown. */
  const found = useRef<(() => Range | null) | null>(null);
  /** The message to scroll to once it is loaded, and whether it is then highlighted. */
  const [target, setTarget] = useState<{ readonly messageId: string; readonly jump: boolean } | null>(null);

  const indexOf = (id: string) => items.findIndex((item) => holds(item, id));
  const hold = (index: number, offsetPx: () => number) => {
    holding.current?.();
    holding.current = holdScrollPosition({
      rows,
      scroller: scroller.current,
      index,
      offsetPx,
      isFresh: pages.isFresh,
      done: (settled) => {
        holding.current = null;
        if (settled) end.rest();
      },
    });
  };
  const goToEnd = () => {
    holding.current?.();
    follow();
    rows.scrollToEnd();
  };
  const toLatest = () =>
    void pages.toEnd().then(
      () => requestAnimationFrame(goToEnd),
      (error: unknown) => failed(text.latest, error),
    );

  // A conversation opens at its saved position, or else at its end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the conversation opens
  useLayoutEffect(() => {
    const start = scrollPositions.start();
    const index = start ? indexOf(start.messageId) : -1;
    if (start && index >= 0) hold(index, () => start.offsetPx);
    else rows.scrollToEnd();
    return () => holding.current?.();
  }, []);

  // A snapshot replaces everything that was loaded. A reader who doesn't follow the end stays at the same message.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each snapshot, and at no other time
  useLayoutEffect(() => {
    if (shown.current === snapshot) return;
    shown.current = snapshot;
    const scrollPosition = following ? null : scrollPositions.current();
    const index = scrollPosition ? indexOf(scrollPosition.messageId) : -1;
    if (scrollPosition && index >= 0) hold(index, () => scrollPosition.offsetPx);
  }, [snapshot]);

  // A notice or a longer draft takes height from the thread: a reader at the end stays there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer stays the same for the life of the thread
  useEffect(() => {
    const element = scroller.current;
    if (!element || !following || hasNewer) return;
    const observer = new ResizeObserver(() => holding.current ?? rows.scrollToEnd());
    observer.observe(element);
    return () => observer.disconnect();
  }, [following, hasNewer]);

  useHandle('thread', {
    element: () => scroller.current,
    focus: () => scroller.current?.focus(),
    showEnd: toLatest,
    keepInView: (messageId) => setTarget({ messageId, jump: false }),
    showRange(range, isDrawnAnew) {
      found.current = range;
      const row = toRow(range());
      // A re-rendered block has lost its sideways scroll, which is restored. The vertical position stays, because the
      // reader may have scrolled since.
      showAcross(range());
      if (isDrawnAnew || row === null || isInView(range(), scroller.current)) return;
      leave();
      hold(row, pxAbove(range, row, scroller.current));
    },
  });

  useEffect(() => {
    if (wanted !== undefined) setTarget({ messageId: wanted, jump: true });
  }, [wanted]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each target, and whenever more messages are loaded
  useEffect(() => {
    if (!target) return;
    const index = indexOf(target.messageId);
    if (index < 0) {
      if (!target.jump) return;
      void pages.toMessage(target.messageId).catch((error: unknown) => {
        setTarget(null);
        failed(text.jump, error);
      });
      return;
    }
    setTarget(null);
    if (!target.jump) {
      rows.scrollToIndex(index, { align: 'auto' });
      // The focused version was replaced by this one.
      if (document.activeElement === document.body) focus(index);
      return;
    }
    leave();
    hold(
      index,
      pxAbove(() => found.current?.() ?? null, index, scroller.current),
    );
    useThreadView.getState().highlight(target.messageId);
  }, [target, items]);

  // A question that was just sent moves to the top.
  const asked = useThreadView((view) => view.asked);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each question, and whenever more messages are loaded
  useLayoutEffect(() => {
    if (asked === null) return;
    const index = indexOf(asked);
    if (index < 0) {
      if (hasNewer) void pages.toEnd().catch((error: unknown) => failed(text.latest, error));
      return;
    }
    useThreadView.getState().setAsked(null);
    turn.begin(asked);
    leave();
    seen.current = getHead(items.at(-1) as ThreadItem);
    const cutPx = turn.cutPx(index);
    hold(index, () => cutPx);
  }, [asked, items]);

  useEffect(() => {
    const { range } = rows;
    if (!range || holding.current || items.length === 0) return;
    const last = items.at(-1);
    if (following && !hasNewer) seen.current = last ? getHead(last) : null;
    // A running answer grows while the reader is in another chat, so what is saved is the position seen last, not the
    // end.
    if (following && !hasNewer && !busy) scrollPositions.leave(null);
    else {
      const top = rows.scrollOffset ?? 0;
      const row = rows.getVirtualItems().find((item) => item.end > top);
      const item = row && items[row.index];
      // The offset is rounded up: a fraction less would show the end of the row above.
      if (item) scrollPositions.leave({ messageId: getHead(item), offsetPx: Math.max(0, Math.ceil(top - row.start)) });
    }
    const read = (page: () => Promise<void>) => {
      if (performance.now() - failedAt.current < retryMs) return;
      void page().catch((error: unknown) => {
        failedAt.current = performance.now();
        failed(text.readOn, error);
      });
    };
    if (hasOlder && range.startIndex < near) read(pages.older);
    if (hasNewer && range.endIndex > items.length - near) read(pages.newer);
  });

  const seenAt = seen.current === null ? -1 : items.findIndex((item) => getHead(item) === seen.current);
  const hiddenPx = rows.getTotalSize() - (rows.scrollOffset ?? 0) - (rows.scrollRect?.height ?? 0);
  return {
    toLatest,
    below: hasNewer || hiddenPx > nearEndPx,
    unseen: following || seenAt < 0 ? 0 : items.length - 1 - seenAt,
  };
}

import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { useNotify } from '../../ui/use-notify.ts';
import { type Entry, headOf, holds } from './entries.ts';
import type { threadPages } from './read-thread.ts';
import { settleAt } from './settle.ts';
import { text } from './text.ts';
import { useThreadView } from './thread-view.ts';
import type { Places } from './use-places.ts';

export type Pages = ReturnType<typeof threadPages>;

interface Reading {
  readonly rows: Virtualizer<HTMLDivElement, Element>;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly entries: readonly Entry[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly following: boolean;
  readonly follow: () => void;
  readonly leave: () => void;
  /** Gives a message the focus. */
  readonly focus: (at: number) => void;
  readonly pages: Pages;
  readonly places: Places;
}

/** So near to an end of what is loaded, more is read. */
const near = 8;
const retryMs = 5000;

/** Where the reader is in a conversation: begins at the kept place, reads on, goes where it is asked to, and keeps the place. */
export function useReading(reading: Reading) {
  const { rows, scroller, entries, hasOlder, hasNewer, following, follow, leave, focus, pages, places } = reading;
  const { failed } = useNotify();
  const settling = useRef<(() => void) | null>(null);
  const failedAt = useRef(Number.NEGATIVE_INFINITY);
  const seen = useRef<string | null>(null);
  const target = useThreadView((view) => view.target);
  const wantsEnd = useThreadView((view) => view.endWanted);

  const indexOf = (id: string) => entries.findIndex((entry) => holds(entry, id));
  const settle = (index: number, offsetPx: number) => {
    settling.current?.();
    settling.current = settleAt({
      rows,
      scroller: scroller.current,
      index,
      offsetPx,
      done: () => {
        settling.current = null;
      },
    });
  };
  const goToEnd = () => {
    settling.current?.();
    follow();
    rows.scrollToEnd();
  };
  const toLatest = () =>
    void pages.toEnd().then(
      () => requestAnimationFrame(goToEnd),
      (error: unknown) => failed(text.latest, error),
    );

  // Opening a conversation shows where it was left, else its end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useLayoutEffect(() => {
    const start = places.start();
    const index = start ? indexOf(start.messageId) : -1;
    if (start && index >= 0) settle(index, start.offsetPx);
    else rows.scrollToEnd();
    return () => settling.current?.();
  }, []);

  // What grows below the thread (a notice, a longer draft) takes room from it: who reads the end goes on seeing it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer is one for the life of the thread
  useEffect(() => {
    const element = scroller.current;
    if (!element || !following || hasNewer) return;
    const observer = new ResizeObserver(() => settling.current ?? rows.scrollToEnd());
    observer.observe(element);
    return () => observer.disconnect();
  }, [following, hasNewer]);

  // What the reader sends or asks for is shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each wish
  useEffect(() => {
    if (wantsEnd > 0) toLatest();
  }, [wantsEnd]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: with each target, and each time there is more to find it in
  useEffect(() => {
    if (!target) return;
    const { arrived } = useThreadView.getState();
    const index = indexOf(target.messageId);
    if (index < 0) {
      if (!target.jump) return;
      void pages.toMessage(target.messageId).catch((error: unknown) => {
        arrived();
        failed(text.jump, error);
      });
      return;
    }
    arrived();
    if (!target.jump) {
      rows.scrollToIndex(index, { align: 'auto' });
      // The version that had the focus has given way to this one.
      if (document.activeElement === document.body) focus(index);
      return;
    }
    leave();
    settle(index, 0);
    useThreadView.getState().point(target.messageId);
  }, [target, entries]);

  useEffect(() => {
    const { range } = rows;
    if (!range || settling.current || entries.length === 0) return;
    const last = entries.at(-1);
    if (following && !hasNewer) {
      seen.current = last ? headOf(last) : null;
      places.leave(null);
    } else {
      const top = rows.scrollOffset ?? 0;
      const row = rows.getVirtualItems().find((item) => item.end > top);
      const entry = row && entries[row.index];
      // Rounded up: a part of a pixel less would show the end of the row before.
      if (entry) places.leave({ messageId: headOf(entry), offsetPx: Math.max(0, Math.ceil(top - row.start)) });
    }
    const read = (page: () => Promise<void>) => {
      if (performance.now() - failedAt.current < retryMs) return;
      void page().catch((error: unknown) => {
        failedAt.current = performance.now();
        failed(text.readOn, error);
      });
    };
    if (hasOlder && range.startIndex < near) read(pages.older);
    if (hasNewer && range.endIndex > entries.length - near) read(pages.newer);
  });

  const seenAt = seen.current === null ? -1 : entries.findIndex((entry) => headOf(entry) === seen.current);
  return { toLatest, unseen: following || seenAt < 0 ? 0 : entries.length - 1 - seenAt };
}

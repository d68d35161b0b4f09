import type { Virtualizer } from '@tanstack/react-virtual';
import { useState } from 'react';
import { holds, type ThreadItem } from '../state/thread-items.ts';
import type { ScrollPositions } from './use-scroll-positions.ts';

/** If a question is taller than this share of the viewport, only its end is shown above its answer. */
const maxOfView = 0.5;

/**
 * Places the question sent last in this window at the top of the viewport, with space for its answer below. A saved
 * scroll position at the last question gets the same space.
 */
export function useTurn(
  items: readonly ThreadItem[],
  scrollPositions: ScrollPositions,
  rows: Virtualizer<HTMLDivElement, Element>,
) {
  const [question, setQuestion] = useState<string | null>(() => {
    const savedId = scrollPositions.start()?.messageId;
    const last = items.findLast(({ role }) => role === 'user');
    return last && savedId !== undefined && holds(last, savedId) ? last.id : null;
  });
  const first = question === null ? -1 : items.findIndex((item) => holds(item, question));
  const last = items.length - 1;
  const viewPx = rows.scrollRect?.height ?? 0;
  const cutPx = (index: number) =>
    Math.max(0, Math.floor((rows.measurementsCache[index]?.size ?? 0) - viewPx * maxOfView));
  const getStart = (index: number) => rows.measurementsCache[index]?.start ?? 0;
  return {
    begin: (messageId: string) => setQuestion(messageId),
    /** Returns how many pixels of a question are above the viewport when it is placed at the top. */
    cutPx,
    /** The minimum height of the last row with which the question can be placed at the top. */
    roomPx:
      first < 0
        ? 0
        : Math.max(
            0,
            viewPx - (getStart(last) - getStart(first)) + (first < last ? cutPx(first) : 0) - rows.options.paddingEnd,
          ),
    on: first >= 0,
  };
}

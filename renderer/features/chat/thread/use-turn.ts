import type { Virtualizer } from '@tanstack/react-virtual';
import { useState } from 'react';
import { holds, type ThreadItem } from '../state/thread-items.ts';
import type { ScrollPositions } from './use-scroll-positions.ts';

/** Of a question higher than this part of the view, only the end is shown above its answer. */
const maxOfView = 0.5;

/**
 * The question asked last in this window: it stands at the top of the view, with room for its answer below. A kept
 * scroll position at the last question has the same room.
 */
export function useTurn(
  items: readonly ThreadItem[],
  scrollPositions: ScrollPositions,
  rows: Virtualizer<HTMLDivElement, Element>,
) {
  const [question, setQuestion] = useState<string | null>(() => {
    const kept = scrollPositions.start()?.messageId;
    const last = items.findLast(({ role }) => role === 'user');
    return last && kept !== undefined && holds(last, kept) ? last.id : null;
  });
  const first = question === null ? -1 : items.findIndex((item) => holds(item, question));
  const last = items.length - 1;
  const viewPx = rows.scrollRect?.height ?? 0;
  const cutPx = (at: number) => Math.max(0, Math.floor((rows.measurementsCache[at]?.size ?? 0) - viewPx * maxOfView));
  const getStart = (at: number) => rows.measurementsCache[at]?.start ?? 0;
  return {
    begin: (messageId: string) => setQuestion(messageId),
    /** How many pixels of a question are above the view when it stands at the top. */
    cutPx,
    /** The least height of the last row, so that the question can stand at the top. */
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

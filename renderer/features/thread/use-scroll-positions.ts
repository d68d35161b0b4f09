import { useMemo } from 'react';
import type { ScrollPosition } from '#shared/contract/chat/conversations.ts';
import { useApi } from '../../api/api.ts';
import { useFlush } from '../../browser/use-flush.ts';

/** Where each conversation was left in this window; null at its end. The core keeps the same for the next start. */
const places = new Map<string, ScrollPosition | null>();

const pauseMs = 300;

/** The place at which a conversation opens, and how it is kept. */
export function useScrollPositions(conversationId: string, kept: ScrollPosition | null | undefined) {
  const api = useApi();
  const keeper = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waiting: ScrollPosition | null | undefined;
    const flush = () => {
      clearTimeout(timer);
      timer = undefined;
      if (waiting === undefined) return;
      const place = waiting;
      waiting = undefined;
      api.conversations.keepScrollPosition({ id: conversationId, place }).catch((error: unknown) => {
        console.warn('This place is not kept for the next start', error);
      });
    };
    return {
      leave(place: ScrollPosition | null) {
        const before = places.get(conversationId);
        if (before !== undefined && JSON.stringify(before) === JSON.stringify(place)) return;
        places.set(conversationId, place);
        waiting = place;
        // Also while the scrolling goes on.
        timer ??= setTimeout(flush, pauseMs);
      },
      flush,
    };
  }, [api, conversationId]);
  useFlush(keeper.flush);
  return useMemo(() => {
    const known = places.get(conversationId);
    const first = known === undefined ? (kept ?? null) : known;
    const current = () => places.get(conversationId) ?? null;
    return { ...keeper, start: () => first, current };
  }, [keeper, kept, conversationId]);
}

export type ScrollPositions = ReturnType<typeof useScrollPositions>;

/** Nothing is known of what a former window left: tests begin anew. */
export const forgetScrollPositions = (): void => places.clear();

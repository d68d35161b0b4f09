import { useMemo } from 'react';
import type { Place } from '#shared/contract/conversations.ts';
import { useApi } from '../../lib/api.ts';
import { useFlush } from './use-flush.ts';

/** Where each conversation was left in this window; null at its end. The core keeps the same for the next start. */
const places = new Map<string, Place | null>();

const pauseMs = 300;

/** The place at which a conversation opens, and how it is kept. */
export function usePlaces(conversationId: string, kept: Place | null | undefined) {
  const api = useApi();
  const keeper = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waiting: Place | null | undefined;
    const flush = () => {
      clearTimeout(timer);
      timer = undefined;
      if (waiting === undefined) return;
      const place = waiting;
      waiting = undefined;
      api.conversations.keepPlace({ id: conversationId, place }).catch((error: unknown) => {
        console.warn('This place is not kept for the next start', error);
      });
    };
    return {
      leave(place: Place | null) {
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
    return { ...keeper, start: () => first };
  }, [keeper, kept, conversationId]);
}

export type Places = ReturnType<typeof usePlaces>;

/** Nothing is known of what a former window left: tests begin anew. */
export const forgetPlaces = (): void => places.clear();

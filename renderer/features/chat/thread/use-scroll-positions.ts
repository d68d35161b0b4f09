import { useMemo } from 'react';
import type { ScrollPosition } from '#shared/contract/chat/conversations.ts';
import { useApi } from '../../../api/api.ts';
import { useFlush } from '../../../browser/use-flush.ts';

/** Scroll positions in this window, by conversation; null means the end. The core saves them for the next start. */
const scrollPositions = new Map<string, ScrollPosition | null>();

const pauseMs = 300;

/** Returns the initial scroll position of a conversation, and the functions that save it. */
export function useScrollPositions(conversationId: string, saved: ScrollPosition | null | undefined) {
  const api = useApi();
  const saver = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waiting: ScrollPosition | null | undefined;
    const flush = () => {
      if (waiting === undefined) return;
      const scrollPosition = waiting;
      waiting = undefined;
      api.conversations.keepScrollPosition({ id: conversationId, scrollPosition }).catch((error: unknown) => {
        console.warn('This scroll position is not kept for the next start', error);
      });
    };
    const saveAndPause = () => {
      timer = waiting === undefined ? undefined : setTimeout(saveAndPause, pauseMs);
      flush();
    };
    return {
      leave(scrollPosition: ScrollPosition | null) {
        const before = scrollPositions.get(conversationId);
        if (before !== undefined && JSON.stringify(before) === JSON.stringify(scrollPosition)) return;
        scrollPositions.set(conversationId, scrollPosition);
        waiting = scrollPosition;
        // The first change is saved at once, because the window may close before a pause is over. While the user
        // scrolls, one change per pause is saved.
        if (timer === undefined) saveAndPause();
      },
      flush,
    };
  }, [api, conversationId]);
  useFlush(saver.flush);
  return useMemo(() => {
    const known = scrollPositions.get(conversationId);
    const first = known === undefined ? (saved ?? null) : known;
    const current = () => scrollPositions.get(conversationId) ?? null;
    return { ...saver, start: () => first, current };
  }, [saver, saved, conversationId]);
}

export type ScrollPositions = ReturnType<typeof useScrollPositions>;

/** For tests: forgets all positions. */
export const forgetScrollPositions = (): void => scrollPositions.clear();

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { useOrpc } from '../../api/api.ts';

export const pauseMs = 350;

interface Asked {
  readonly conversationId: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
}

/**
 * What the next message would cost, asked when typing pauses, and once after an answer: not before all has been said that its
 * end changes. A question that is out of date is cancelled.
 */
export function useQuote({ conversationId, text, attachments, model }: Asked, wanted: boolean, live: boolean) {
  const settled = useSettled(text, pauseMs);
  const wasLive = useSettled(live, pauseMs);
  return useQuery(
    useOrpc().quotes.get.queryOptions({
      input: { conversationId, text: settled, attachments: [...attachments], model },
      enabled: wanted && !live && !wasLive,
      placeholderData: keepPreviousData,
      // Each text is a question of its own: answers to old ones need not be kept.
      gcTime: 10_000,
    }),
  );
}

/** The value once it has not changed for a while. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

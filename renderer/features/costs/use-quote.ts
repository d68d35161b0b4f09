import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { OtherPrice } from '#shared/contract/chat/quotes.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { useOrpc } from '../../api/api.ts';

export const pauseMs = 350;

interface Asked {
  readonly conversationId: string | null;
  /** The folder that a new conversation begins in. */
  readonly folderId: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
}

/**
 * The quote for the next message, asked when typing pauses, and once after an answer, when all that its end changes has
 * arrived. An outdated request is cancelled.
 */
export function useQuote(
  { conversationId, folderId, text, attachments, model }: Asked,
  wanted: boolean,
  live: boolean,
) {
  const settled = useSettled(text, pauseMs);
  const wasLive = useSettled(live, pauseMs);
  return useQuery(
    useOrpc().quotes.get.queryOptions({
      input: { conversationId, folderId, text: settled, attachments: [...attachments], model },
      enabled: wanted && !live && !wasLive,
      placeholderData: keepPreviousData,
      // Each text is a query of its own; old ones need not stay in the cache.
      gcTime: 10_000,
    }),
  );
}

const byModel = (prices: readonly OtherPrice[]) => new Map(prices.map((price) => [price.model, price]));
const none = byModel([]);

/** Prices of other models against the one that gave an answer, by model. */
export function useOtherPrices(answerId: string): ReadonlyMap<string, OtherPrice> {
  const options = useOrpc().quotes.others.queryOptions({ input: { answerId }, gcTime: 10_000, select: byModel });
  return useQuery(options).data ?? none;
}

/** The value after it has not changed for this time. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

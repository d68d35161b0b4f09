import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import type { OtherPrice } from '#shared/contract/chat/quotes.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { newChatKey } from '../browser/new-chat-key.ts';
import { useDebounced } from '../browser/use-debounced.ts';
import { useOrpc } from './api.ts';

const pauseMs = 350;

interface QuotedMessage {
  readonly conversationId: string | null;
  /** The folder that a new conversation begins in. */
  readonly folderId: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
}

/**
 * Returns the text to quote, which follows the draft after a pause in typing, and options for the query. While an
 * answer runs, and for a moment after it, no quote is requested: the end of an answer changes what the quote depends
 * on.
 */
export function useQuoteQuery(text: string, wanted: boolean, live: boolean) {
  const settled = useDebounced(text, pauseMs);
  const wasLive = useDebounced(live, pauseMs);
  return {
    settled,
    options: {
      enabled: wanted && !live && !wasLive,
      placeholderData: keepPreviousData,
      // Each text is a query of its own, and the quotes of old texts aren't needed any more.
      gcTime: 10_000,
    },
  } as const;
}

/** The quote for the next message. An outdated request is cancelled. */
export function useQuote(
  { conversationId, folderId, text, attachments, model }: QuotedMessage,
  wanted: boolean,
  live: boolean,
) {
  const { settled, options } = useQuoteQuery(text, wanted, live);
  const input = {
    conversationId,
    folderId,
    newChat: newChatKey,
    text: settled,
    attachments: [...attachments],
    model,
  };
  return useQuery(useOrpc().quotes.get.queryOptions({ input, ...options }));
}

const byModel = (prices: readonly OtherPrice[]) => new Map(prices.map((price) => [price.model, price]));
const noPrices = byModel([]);

/**
 * Returns the prices of other models, compared with the model that gave an answer, by model id. With null, nothing is
 * fetched.
 */
export function useOtherPrices(answerId: string | null): ReadonlyMap<string, OtherPrice> {
  const input = answerId === null ? skipToken : { answerId };
  return useQuery(useOrpc().quotes.others.queryOptions({ input, gcTime: 10_000, select: byModel })).data ?? noPrices;
}

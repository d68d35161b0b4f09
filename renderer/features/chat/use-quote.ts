import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Attachment } from '#shared/contract/attachments.ts';
import { useApi } from '../../lib/api.ts';
import { useChosenModel } from './use-chosen-model.ts';

export const pauseMs = 350;

interface Asked {
  readonly conversationId: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
}

/** What the next message would cost, asked when typing pauses. A question that is out of date is cancelled. */
export function useQuote({ conversationId, text, attachments, model }: Asked, wanted: boolean) {
  const api = useApi();
  const settled = useSettled(text, pauseMs);
  return useQuery({
    queryKey: ['quote', conversationId, model, settled, attachments.map(({ id }) => id)],
    queryFn: ({ signal }) =>
      api.quotes.get({ conversationId, text: settled, attachments: [...attachments], model }, { signal }),
    enabled: wanted,
    placeholderData: keepPreviousData,
    // Each text is a question of its own: answers to old ones need not be kept.
    gcTime: 10_000,
  });
}

const nothing: never[] = [];
const none: ReadonlySet<string> = new Set();

/** Messages that do not go to the model with the next one; the last known ones while an answer is written. */
export function useOutsideIds(conversationId: string, lastModel: string | null, busy: boolean): ReadonlySet<string> {
  const model = useChosenModel(conversationId, lastModel);
  const { data } = useQuote({ conversationId, text: '', attachments: nothing, model }, !busy && lastModel !== null);
  return useMemo(() => (data ? new Set(data.context.outsideIds) : none), [data]);
}

/** The value once it has not changed for a while. */
export function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

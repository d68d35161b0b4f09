import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Attachment } from '#shared/contract/attachments.ts';
import { mostCompared } from '#shared/contract/comparisons.ts';
import { useApi } from '../../lib/api.ts';
import { useModels } from '../../lib/use-core.ts';
import { named, problemOf } from './compare-models.ts';
import { useDrafts } from './drafts.ts';
import { pauseMs, useSettled } from './use-quote.ts';

const none: readonly string[] = [];

/** The models that shall all answer the next message of a chat. */
export function useCompare(chat: string) {
  const value = useDrafts((drafts) => drafts.compares[chat] ?? none);
  const models = useModels().data?.models ?? [];
  const { setCompare } = useDrafts.getState();
  return {
    value,
    on: value.length > 0,
    /** Too few, or one of them cannot answer. */
    blocked: value.length === 1 || value.some((id) => problemOf(models, id) !== null),
    change: (next: readonly string[]) => setCompare(chat, next),
    /** An alias is the model that it names: nothing is compared with itself. */
    add: (id: string) => {
      const wanted = named(models, id)?.id ?? id;
      if (!value.includes(wanted) && value.length < mostCompared) setCompare(chat, [...value, wanted]);
    },
  };
}

interface Asked {
  readonly conversationId: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly models: readonly string[];
}

/** What all answers would cost, asked when typing pauses. */
export function useCompareQuote({ conversationId, text, attachments, models }: Asked, wanted: boolean) {
  const api = useApi();
  const settled = useSettled(text, pauseMs);
  return useQuery({
    queryKey: ['quote', conversationId, 'compare', ...models, settled, attachments.map(({ id }) => id)],
    queryFn: ({ signal }) =>
      api.comparisons.quote(
        { conversationId, text: settled, attachments: [...attachments], models: [...models] },
        { signal },
      ),
    enabled: wanted && models.length > 1,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
}

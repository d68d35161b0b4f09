import { useQuery } from '@tanstack/react-query';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { maxCompared } from '#shared/contract/common/limits.ts';
import { useOrpc } from '../../../../api/api.ts';
import { useModels } from '../../../../api/use-core.ts';
import { useQuoteQuery } from '../../../../api/use-quote.ts';
import { newChatKey } from '../../../../browser/new-chat-key.ts';
import { useDrafts } from '../../../drafts/drafts-store.ts';
import { getProblem, named } from './compare-models.ts';

const none: readonly string[] = [];

/** The models of the comparison that the next message of a chat starts. */
export function useCompare(chat: string) {
  const value = useDrafts((drafts) => drafts.compares[chat] ?? none);
  const models = useModels().data?.models ?? [];
  const { setCompare } = useDrafts.getState();
  return {
    value,
    on: value.length > 0,
    /** Too few models, or one of them cannot answer. */
    blocked: value.length === 1 || value.some((id) => getProblem(models, id) !== null),
    change: (next: readonly string[]) => setCompare(chat, next),
    /** Aliases are resolved, so that no model is compared with itself. */
    add: (id: string) => {
      const wanted = named(models, id)?.id ?? id;
      if (!value.includes(wanted) && value.length < maxCompared) setCompare(chat, [...value, wanted]);
    },
  };
}

interface Asked {
  readonly conversationId: string | null;
  /** The folder that a new conversation begins in. */
  readonly folderId: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** Null: to all columns that the thread ends in. */
  readonly models: readonly string[] | null;
}

/** The quote of the comparison, asked when typing pauses. */
export function useCompareQuote(
  { conversationId, folderId, text, attachments, models }: Asked,
  wanted: boolean,
  live: boolean,
) {
  const enough = models === null || models.length > 1;
  const { settled, options } = useQuoteQuery(text, wanted && enough, live);
  const asked = { conversationId, folderId, newChat: newChatKey, text: settled, attachments: [...attachments] };
  const input = models ? { ...asked, models: [...models] } : asked;
  return useQuery(useOrpc().comparisons.quote.queryOptions({ input, ...options }));
}

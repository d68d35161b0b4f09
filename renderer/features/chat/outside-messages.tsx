import { type ReactNode, useMemo } from 'react';
import { useQuote } from '../../api/use-quote.ts';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { useChosenModel } from '../drafts/use-chosen-model.ts';
import { NotSentContext } from './context/not-sent-mark.tsx';

interface OutsideMessagesProps {
  conversationId: string;
  lastModel: string | null;
  live: boolean;
  children: ReactNode;
}

const noFiles: never[] = [];

/** Provides which messages are not sent with the next one, from the quote that the composer shows. */
export function OutsideMessages({ conversationId, lastModel, live, children }: OutsideMessagesProps) {
  const key = draftKey(conversationId);
  const text = useDrafts((drafts) => drafts.texts[key] ?? '');
  const attachments = useDrafts((drafts) => drafts.files[key] ?? noFiles);
  const mentioned = useDrafts((drafts) => drafts.mentions[key] ?? null);
  const chosen = useChosenModel({ conversationId, lastModel });
  const { data } = useQuote(
    { conversationId, folderId: null, text, attachments, model: mentioned ?? chosen },
    true,
    live,
  );
  const outside = useMemo(() => new Set(data?.context.notSentIds), [data]);
  return <NotSentContext value={outside}>{children}</NotSentContext>;
}

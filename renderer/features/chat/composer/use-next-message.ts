import { useModels } from '../../../api/use-core.ts';
import { useProject } from '../../../api/use-project.ts';
import { useQuote } from '../../../api/use-quote.ts';
import { getFolder, useNav } from '../../../navigation/nav.ts';
import { useAttach } from '../../drafts/attachments/use-attach.ts';
import { draftKey, useDrafts } from '../../drafts/drafts-store.ts';
import { modelKey, useChosenModel } from '../../drafts/use-chosen-model.ts';
import { useDraft } from '../../drafts/use-draft.ts';
import { named } from '../compare/draft/compare-models.ts';
import { useCompare, useCompareQuote } from '../compare/draft/use-compare.ts';

interface Chat {
  readonly conversationId: string | null;
  readonly lastModel: string | null;
  /** The conversation is loaded; before, nothing is asked about it. */
  readonly read: boolean;
  readonly live: boolean;
  /** The models of the columns that the thread ends in, from the left; none, if one is chosen. */
  readonly columns: readonly string[];
}

const noFiles: never[] = [];

/** The next message of a chat: text, files, models and its quote. */
export function useNextMessage({ conversationId, lastModel, read, live, columns }: Chat) {
  const key = draftKey(conversationId);
  useDraft(key);
  const text = useDrafts((drafts) => drafts.texts[key] ?? '');
  const attachments = useDrafts((drafts) => drafts.files[key] ?? noFiles);
  const mentioned = useDrafts((drafts) => drafts.mentions[key] ?? null);
  const folderId = useNav(({ loc }) => getFolder(loc));
  const projectModel = useProject(folderId).data?.model ?? null;
  const chosen = useChosenModel({ conversationId, lastModel, folderId, projectModel });
  const model = mentioned ?? chosen;
  const models = useModels().data?.models ?? [];
  const compare = useCompare(key);
  /** It goes to all columns, unless it is meant for other models. */
  const toColumns = columns.length > 1 && mentioned === null && !compare.on;
  const asked = { conversationId, folderId, text, attachments };
  const quote = useQuote({ ...asked, model }, read && !compare.on && !toColumns, live);
  const compareQuote = useCompareQuote({ ...asked, models: toColumns ? null : compare.value }, read, live);
  return {
    ...asked,
    key,
    modelKey: modelKey(conversationId, folderId),
    live,
    empty: text.trim() === '' && attachments.length === 0,
    /** The model mentioned by `@` for this message only. */
    mentioned,
    chosen,
    model,
    record: named(models, model) ?? null,
    models,
    compare,
    columns,
    toColumns,
    quote: quote.data,
    compareQuote: compareQuote.data,
    attach: useAttach(conversationId),
  };
}

export type NextMessage = ReturnType<typeof useNextMessage>;

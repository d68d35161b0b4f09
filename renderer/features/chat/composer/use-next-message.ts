import { useQuery } from '@tanstack/react-query';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { maxCompared } from '#shared/contract/common/limits.ts';
import { useOrpc } from '../../../api/api.ts';
import { useModels } from '../../../api/use-core.ts';
import { useProject } from '../../../api/use-project.ts';
import { useQuote, useQuoteQuery } from '../../../api/use-quote.ts';
import { newChatKey } from '../../../browser/new-chat-key.ts';
import { getFolder, useNav } from '../../../navigation/nav.ts';
import { withFile } from '../../drafts/attachments/attached-files.ts';
import { useUploads } from '../../drafts/attachments/use-uploads.ts';
import { draftKey, useDrafts } from '../../drafts/drafts-store.ts';
import { modelKey, useChosenModel } from '../../drafts/use-chosen-model.ts';
import { useDraft } from '../../drafts/use-draft.ts';
import { findModel, getProblem } from '../compare/draft/compare-models.ts';

const noModels: readonly string[] = [];

/** The models of the comparison that the next message of a chat starts. */
function useCompare(chat: string) {
  const value = useDrafts((drafts) => drafts.compares[chat] ?? noModels);
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
      const wanted = findModel(models, id)?.id ?? id;
      if (!value.includes(wanted) && value.length < maxCompared) setCompare(chat, [...value, wanted]);
    },
  };
}

interface QuotedMessage {
  readonly conversationId: string | null;
  /** The folder that a new conversation begins in. */
  readonly folderId: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** Null quotes a message to all columns that the thread ends in. */
  readonly models: readonly string[] | null;
}

/** The quote of the comparison, requested when typing pauses. */
function useCompareQuote(
  { conversationId, folderId, text, attachments, models }: QuotedMessage,
  wanted: boolean,
  live: boolean,
) {
  const enough = models === null || models.length > 1;
  const { settled, options } = useQuoteQuery(text, wanted && enough, live);
  const asked = { conversationId, folderId, newChat: newChatKey, text: settled, attachments: [...attachments] };
  const input = models ? { ...asked, models: [...models] } : asked;
  return useQuery(useOrpc().comparisons.quote.queryOptions({ input, ...options }));
}

interface Chat {
  readonly conversationId: string | null;
  readonly lastModel: string | null;
  /** Whether the conversation is loaded; until then no quotes are requested for it. */
  readonly read: boolean;
  readonly live: boolean;
  /** The models of the columns that the thread ends in, from left to right; empty once a column is chosen. */
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
  /** The message goes to all columns unless it mentions a model or starts another comparison. */
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
    record: findModel(models, model) ?? null,
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

/** Adds files to the draft of a chat. */
function useAttach(conversationId: string | null) {
  const key = draftKey(conversationId);
  const { setFiles } = useDrafts.getState();
  const { take, ...uploads } = useUploads((attachment) => setFiles(key, (files) => withFile(files, attachment)));
  return {
    ...uploads,
    /** Returns the attachments that were added. */
    attach: (files: readonly File[]): Promise<Attachment[]> =>
      take(files, useDrafts.getState().files[key]?.length ?? 0),
  };
}

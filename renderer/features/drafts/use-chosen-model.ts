import { useSettings } from '../../api/use-core.ts';
import { draftKey, useDrafts } from './drafts-store.ts';

interface Chat {
  readonly conversationId: string | null;
  readonly lastModel: string | null;
  /** Of a new chat: the folder that it begins in, and the model that is set for it. */
  readonly folderId?: string | null;
  readonly projectModel?: string | null;
}

/** Under what the choice of a model is kept; each project has one of its own for new chats. */
export const modelKey = (conversationId: string | null, folderId: string | null | undefined): string =>
  conversationId === null && folderId ? `project ${folderId}` : draftKey(conversationId);

/** The model chosen here, else the conversation’s or the project’s, else the default for new chats. */
export function useChosenModel({ conversationId, lastModel, folderId, projectModel }: Chat): string {
  const chosen = useDrafts((drafts) => drafts.models[modelKey(conversationId, folderId)]);
  const settings = useSettings();
  return chosen ?? lastModel ?? projectModel ?? settings.data?.model ?? 'router';
}

import { useModels, useSettings } from '../../api/use-core.ts';
import { useGatewayAccounts } from '../../api/use-gateway-accounts.ts';
import { draftKey, useDrafts } from './drafts-store.ts';

interface Chat {
  readonly conversationId: string | null;
  readonly lastModel: string | null;
  /** For a new chat only: the folder it starts in, and the model set for that folder. */
  readonly folderId?: string | null;
  readonly projectModel?: string | null;
}

/** Returns the key under which the chosen model is stored. Each project has its own key for new chats. */
export const modelKey = (conversationId: string | null, folderId: string | null | undefined): string =>
  conversationId === null && folderId ? `project ${folderId}` : draftKey(conversationId);

/**
 * Returns the model chosen here, else that of the conversation or project, else the default for new chats. A new chat
 * skips a model that the gateway in use lacks.
 */
export function useChosenModel({ conversationId, lastModel, folderId, projectModel }: Chat): string {
  const chosen = useDrafts((drafts) => drafts.models[modelKey(conversationId, folderId)]);
  const settings = useSettings();
  const isRemote = useGatewayAccounts().data?.active != null;
  const listed = useModels().data?.models ?? [];
  const isListed = (id: string) =>
    !isRemote || listed.length === 0 || listed.some((model) => model.id === id || model.aliases.includes(id));
  const wanted = chosen ?? lastModel ?? projectModel;
  if (wanted != null && (conversationId !== null || isListed(wanted))) return wanted;
  return settings.data?.model ?? 'router';
}

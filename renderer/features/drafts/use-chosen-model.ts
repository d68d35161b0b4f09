import { useSettings } from '../../api/use-core.ts';
import { draftKey, useDrafts } from './drafts-store.ts';

/** The model chosen here, else the conversation’s, else the default for new chats. */
export function useChosenModel(conversationId: string | null, lastModel: string | null): string {
  const chosen = useDrafts((drafts) => drafts.models[draftKey(conversationId)]);
  const settings = useSettings();
  return chosen ?? lastModel ?? settings.data?.model ?? 'router';
}

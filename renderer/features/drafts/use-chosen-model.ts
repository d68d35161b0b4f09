import { useSettings } from '../../api/use-core.ts';
import { draftKey, useDrafts } from './drafts-store.ts';

/** What was chosen here, else what the conversation had, else what new chats start with. */
export function useChosenModel(conversationId: string | null, lastModel: string | null): string {
  const chosen = useDrafts((drafts) => drafts.models[draftKey(conversationId)]);
  const settings = useSettings();
  return chosen ?? lastModel ?? settings.data?.model ?? 'router';
}

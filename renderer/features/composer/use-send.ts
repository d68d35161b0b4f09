import { useMutation } from '@tanstack/react-query';
import { ulid } from 'ulid';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { useApi } from '../../api/api.ts';
import { handleOf } from '../../handles/handles.ts';
import { useNav } from '../../navigation/nav.ts';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { useDraftSaver } from '../drafts/use-draft.ts';

export interface Outgoing {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
  /** The model to return to, if this message mentions another one. */
  readonly back: string | null;
  readonly overCaps: boolean;
  /** The models of a comparison. */
  readonly compare: readonly string[];
}

/** Sends a message. The draft is cleared at once and restored if the core refuses; until then it stays saved. */
export function useSend(conversationId: string | null) {
  const api = useApi();
  const saver = useDraftSaver();
  const { setText, setFiles, setModel, setCompare, mention, adopt } = useDrafts.getState();
  const key = draftKey(conversationId);
  return useMutation({
    // The id is generated once per message: sending it twice is one message.
    mutationFn: ({ text, attachments, model, overCaps, compare }: Outgoing): Promise<{ conversationId: string }> => {
      const message = { messageId: ulid(), conversationId, text, attachments: [...attachments], overCaps };
      return compare.length > 1
        ? api.comparisons.begin({ ...message, models: [...compare] })
        : api.chat.send({ ...message, model });
    },
    onMutate: () => {
      const release = saver.hold(key);
      setText(key, '');
      setFiles(key, () => []);
      return { release };
    },
    onError: (_error, { text, attachments }) => {
      const typedSince = useDrafts.getState().texts[key];
      setText(key, typedSince ? `${text}\n${typedSince}` : text);
      setFiles(key, (files) => [...attachments, ...files]);
    },
    onSuccess: (started, { model, back }) => {
      handleOf('thread')?.showEnd();
      mention(key, null);
      setCompare(key, []);
      if (conversationId !== null) {
        if (back !== null) setModel(key, back);
        return;
      }
      adopt(started.conversationId, back ?? model);
      const { loc, replace } = useNav.getState();
      // Does not navigate if the reader has gone elsewhere.
      if (loc.page === 'chat' && loc.conversationId === null)
        replace({ page: 'chat', conversationId: started.conversationId });
    },
    onSettled: (_started, _error, _message, context) => context?.release(),
  });
}

export function useStop() {
  const api = useApi();
  return useMutation({
    mutationFn: (answerIds: readonly string[]) => Promise.all(answerIds.map((answerId) => api.chat.stop({ answerId }))),
  });
}

import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import { ulid } from 'ulid';
import { useApi, useOrpc } from '../../../api/api.ts';
import { draftKey, useDrafts } from '../../drafts/drafts-store.ts';
import { useDraftSaver } from '../../drafts/use-draft.ts';
import type { Outgoing } from './use-send.ts';

/** Messages queued behind the running answer. */
export function useQueue(conversationId: string | null) {
  const input = conversationId === null ? skipToken : { conversationId };
  return useQuery(useOrpc().queue.list.queryOptions({ input }));
}

export function useQueueCalls(conversationId: string) {
  const api = useApi();
  const saver = useDraftSaver();
  const { setText, setFiles, setCompare, mention } = useDrafts.getState();
  const key = draftKey(conversationId);
  return {
    /**
     * As when sending, the text leaves the composer at once, but the saved draft keeps it until the message is queued.
     */
    add: useMutation({
      mutationFn: ({ text, attachments, model, compare }: Outgoing) =>
        api.queue.add({
          id: ulid(),
          conversationId,
          text,
          attachments: [...attachments],
          model,
          compare: compare.length > 1 ? [...compare] : [],
        }),
      onMutate: () => {
        const release = saver.hold(key);
        setText(key, '');
        setFiles(key, () => []);
        return { release };
      },
      onSuccess: () => {
        mention(key, null);
        setCompare(key, []);
      },
      onError: (_error, { text, attachments }) => {
        const typedSince = useDrafts.getState().texts[key];
        setText(key, typedSince ? `${text}\n${typedSince}` : text);
        setFiles(key, (files) => [...attachments, ...files]);
      },
      onSettled: (_done, _error, _message, context) => context?.release(),
    }),
    change: useMutation({ mutationFn: (change: { id: string; text: string }) => api.queue.change(change) }),
    remove: useMutation({ mutationFn: (id: string) => api.queue.remove({ id }) }),
    resume: useMutation({ mutationFn: () => api.queue.resume({ conversationId }) }),
  };
}

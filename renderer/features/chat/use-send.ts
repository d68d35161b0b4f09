import { useMutation } from '@tanstack/react-query';
import { ulid } from 'ulid';
import { useApi } from '../../lib/api.ts';
import { useNav } from '../../lib/nav.ts';
import { draftKey, useDrafts } from './drafts.ts';

/** Sends a message. The draft is gone at once, and back if the core did not take it. */
export function useSend(conversationId: string | null) {
  const api = useApi();
  const { setText, adopt } = useDrafts.getState();
  const key = draftKey(conversationId);
  return useMutation({
    // The id is made once per message: the same message sent twice is one message.
    mutationFn: ({ text, model }: { text: string; model: string }) =>
      api.chat.send({ messageId: ulid(), conversationId, text, model }),
    onMutate: () => setText(key, ''),
    onError: (_error, { text }) => {
      const typedSince = useDrafts.getState().texts[key];
      setText(key, typedSince ? `${text}\n${typedSince}` : text);
    },
    onSuccess: (started, { model }) => {
      if (conversationId !== null) return;
      adopt(started.conversationId, model);
      const { loc, replace } = useNav.getState();
      // Who went elsewhere meanwhile stays there.
      if (loc.page === 'chat' && loc.conversationId === null)
        replace({ page: 'chat', conversationId: started.conversationId });
    },
  });
}

export function useStop() {
  const api = useApi();
  return useMutation({ mutationFn: (answerId: string) => api.chat.stop({ answerId }) });
}

export function useRegenerate() {
  const api = useApi();
  return useMutation({ mutationFn: (answerId: string) => api.chat.regenerate({ answerId }) });
}

export function useRename() {
  const api = useApi();
  return useMutation({ mutationFn: (change: { id: string; title: string }) => api.conversations.rename(change) });
}

export function useRemove() {
  const api = useApi();
  return useMutation({ mutationFn: (id: string) => api.conversations.remove({ id }) });
}

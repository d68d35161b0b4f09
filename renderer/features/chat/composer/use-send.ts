import { useMutation } from '@tanstack/react-query';
import { ulid } from 'ulid';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { useApi } from '../../../api/api.ts';
import { newChatKey } from '../../../browser/new-chat-key.ts';
import { getFolder, isTemporary, useNav } from '../../../navigation/nav.ts';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { isCoreLost } from '../../../text/error-text.ts';
import { draftKey, useDrafts } from '../../drafts/drafts-store.ts';
import { useDraftSaver } from '../../drafts/use-draft.ts';

export interface Outgoing {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
  /** The model to return to, if this message mentions another one. */
  readonly back: string | null;
  readonly overCaps: boolean;
  /** The models of a comparison. */
  readonly compare: readonly string[];
  /** To all columns that the thread ends in. */
  readonly toColumns: boolean;
}

/** Sends a message. The draft is cleared at once and restored if the core refuses; until then it stays saved. */
export function useSend(conversationId: string | null) {
  const api = useApi();
  const saver = useDraftSaver();
  const { setText, forgetSteps, setFiles, setModel, setCompare, mention, adopt } = useDrafts.getState();
  const key = draftKey(conversationId);
  return useMutation({
    // The id is generated once per message: sending it twice is one message.
    mutationFn: ({
      text,
      attachments,
      model,
      overCaps,
      compare,
      toColumns,
    }: Outgoing): Promise<{ conversationId: string; userMessageId: string }> => {
      const { loc } = useNav.getState();
      const temporary = isTemporary(loc);
      const message = {
        messageId: getName([conversationId, text, attachments]),
        conversationId,
        text,
        attachments: [...attachments],
        overCaps,
        temporary,
        folderId: getFolder(loc),
        newChat: newChatKey,
      };
      if (toColumns) return api.comparisons.begin(message);
      return compare.length > 1
        ? api.comparisons.begin({ ...message, models: [...compare] })
        : api.chat.send({ ...message, model });
    },
    onMutate: () => {
      const release = saver.hold(key);
      setText(key, '');
      forgetSteps(key);
      setFiles(key, () => []);
      return { release };
    },
    onError: (error, { text, attachments }) => {
      if (!isCoreLost(error)) unsure = null;
      const typedSince = useDrafts.getState().texts[key];
      setText(key, typedSince ? `${text}\n${typedSince}` : text);
      setFiles(key, (files) => [...attachments, ...files]);
    },
    onSuccess: (started, { model, back }) => {
      unsure = null;
      useThreadView.getState().setAsked(started.userMessageId);
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

/**
 * The message whose acknowledgement was lost: it may have arrived. Sent again unchanged and soon, it is the same one.
 */
let unsure: { readonly messageId: string; readonly content: string; readonly at: number } | null = null;
const soonMs = 120_000;

function getName(message: unknown): string {
  const content = JSON.stringify(message);
  const again = unsure?.content === content && Date.now() - unsure.at < soonMs ? unsure : null;
  unsure = again ?? { messageId: ulid(), content, at: Date.now() };
  return unsure.messageId;
}

export function useStop() {
  const api = useApi();
  return useMutation({
    mutationFn: (answerIds: readonly string[]) => Promise.all(answerIds.map((answerId) => api.chat.stop({ answerId }))),
  });
}

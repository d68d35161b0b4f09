import { useMutation } from '@tanstack/react-query';
import { ulid } from 'ulid';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { useApi } from '../../../api/api.ts';
import { useConnection } from '../../../browser/connection.ts';
import { newChatKey } from '../../../browser/new-chat-key.ts';
import { getFolder, isTemporary, useNav } from '../../../navigation/nav.ts';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { composerText } from '../../../text/composer-text.ts';
import { isCoreLost } from '../../../text/error-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { draftKey, useDrafts } from '../../drafts/drafts-store.ts';
import { useDraftSaver } from '../../drafts/use-draft.ts';
import { useConfirmsRoute } from '../confirmations/use-confirms-route.ts';
import type { NextMessage } from './use-next-message.ts';
import { useQueue, useQueueCalls } from './use-queue.ts';

interface Allowed {
  /** Sends the message although it exceeds a spending limit. */
  readonly overCaps?: boolean;
  /** The user has confirmed the router's choice, or doesn't need to. */
  readonly confirmed?: boolean;
}

/**
 * Sends the next message or queues it behind the running answer; first asks to confirm the router’s choice, if the user
 * wants that.
 */
export function useSubmit(next: NextMessage, onConfirm: () => void) {
  const { conversationId, attachments, mentioned, chosen, model, compare, toColumns, attach, live } = next;
  const send = useSend(conversationId);
  const queue = useQueueCalls(conversationId ?? '');
  const waiting = useQueue(conversationId);
  const confirms = useConfirmsRoute();
  const { failed, inform } = useNotify();
  const submit = ({ overCaps = false, confirmed = overCaps }: Allowed = {}) => {
    if (send.isPending) return;
    // Without this, the message would be visible nowhere until the core is back.
    if (useConnection.getState().lost) return inform(composerText.notConnected, composerText.sendFailed);
    if (!compare.on && !toColumns && !confirmed && confirms(model)) return onConfirm();
    const back = mentioned ? chosen : null;
    const outgoing = { text: next.text, attachments, model, back, overCaps, compare: compare.value, toColumns };
    attach.forget();
    // Queued messages go first.
    const busy = live || (waiting.data?.length ?? 0) > 0;
    if (busy) queue.add.mutate(outgoing, { onError: (error) => failed(composerText.queue, error) });
    else send.mutate(outgoing);
  };
  return { submit, error: send.variables && isSameMessage(send.variables, next) ? send.error : null };
}

/** Whether the refused message is still the one that would be sent. Text that was typed meanwhile comes after it. */
const isSameMessage = (sent: Outgoing, { text, attachments, model, compare }: NextMessage): boolean =>
  text.startsWith(sent.text) &&
  sent.model === model &&
  String(sent.compare) === String(compare.value) &&
  sent.attachments.length === attachments.length &&
  sent.attachments.every((file, index) => file === attachments[index]);

export interface Outgoing {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
  /** The model to return to, if this message mentions another one. */
  readonly back: string | null;
  readonly overCaps: boolean;
  /** The models of a comparison. */
  readonly compare: readonly string[];
  /** Sends the message to all columns that the thread ends in. */
  readonly toColumns: boolean;
}

/** Sends a message. The draft is cleared at once and restored if the core refuses; until then it stays saved. */
export function useSend(conversationId: string | null) {
  const api = useApi();
  const saver = useDraftSaver();
  const { setText, forgetSteps, setFiles, setModel, setCompare, mention, adopt } = useDrafts.getState();
  const key = draftKey(conversationId);
  return useMutation({
    // The id is generated once per message, so sending it twice creates only one.
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
        messageId: getMessageId([conversationId, text, attachments]),
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
      if (!isCoreLost(error)) unconfirmed = null;
      const typedSince = useDrafts.getState().texts[key];
      setText(key, typedSince ? `${text}\n${typedSince}` : text);
      setFiles(key, (files) => [...attachments, ...files]);
    },
    onSuccess: (started, { model, back }) => {
      unconfirmed = null;
      useThreadView.getState().setAsked(started.userMessageId);
      mention(key, null);
      setCompare(key, []);
      if (conversationId !== null) {
        if (back !== null) setModel(key, back);
        return;
      }
      adopt(started.conversationId, back ?? model);
      const { loc, replace } = useNav.getState();
      // Doesn't navigate if the user has opened another page meanwhile.
      if (loc.page === 'chat' && loc.conversationId === null)
        replace({ page: 'chat', conversationId: started.conversationId });
    },
    onSettled: (_started, _error, _message, context) => context?.release(),
  });
}

/**
 * The last message without an acknowledgement: it may have arrived. If the user sends it again unchanged within two
 * minutes, it keeps its id and counts as the same message.
 */
let unconfirmed: { readonly messageId: string; readonly content: string; readonly sentAt: number } | null = null;
const soonMs = 120_000;

function getMessageId(message: unknown): string {
  const content = JSON.stringify(message);
  const again = unconfirmed?.content === content && Date.now() - unconfirmed.sentAt < soonMs ? unconfirmed : null;
  unconfirmed = again ?? { messageId: ulid(), content, sentAt: Date.now() };
  return unconfirmed.messageId;
}

export function useStop() {
  const api = useApi();
  return useMutation({
    mutationFn: (answerIds: readonly string[]) => Promise.all(answerIds.map((answerId) => api.chat.stop({ answerId }))),
  });
}

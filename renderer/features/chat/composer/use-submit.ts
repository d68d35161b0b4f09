import { useConnection } from '../../../browser/connection.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useConfirmsRoute } from '../confirmations/use-confirms-route.ts';
import type { NextMessage } from './use-next-message.ts';
import { useQueue, useQueueCalls } from './use-queue.ts';
import { type Outgoing, useSend } from './use-send.ts';

interface Allowed {
  /** Exceeds caps. */
  readonly overCaps?: boolean;
  /** The router’s choice has been confirmed, or need not be. */
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
    // Else it would be nowhere to be seen until the core is back.
    if (useConnection.getState().lost) return inform(text.notConnected, text.sendFailed);
    if (!compare.on && !toColumns && !confirmed && confirms(model)) return onConfirm();
    const back = mentioned ? chosen : null;
    const outgoing = { text: next.text, attachments, model, back, overCaps, compare: compare.value, toColumns };
    attach.forget();
    // Queued messages go first.
    const busy = live || (waiting.data?.length ?? 0) > 0;
    if (busy) queue.add.mutate(outgoing, { onError: (error) => failed(text.queue, error) });
    else send.mutate(outgoing);
  };
  return { submit, error: send.variables && isStill(send.variables, next) ? send.error : null };
}

/** Whether what was refused is what would be sent: what was typed meanwhile stands behind it. */
const isStill = (sent: Outgoing, { text, attachments, model, compare }: NextMessage): boolean =>
  text.startsWith(sent.text) &&
  sent.model === model &&
  String(sent.compare) === String(compare.value) &&
  sent.attachments.length === attachments.length &&
  sent.attachments.every((file, at) => file === attachments[at]);

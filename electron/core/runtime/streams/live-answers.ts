import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { refusal } from '#shared/language/refusals.ts';

/** A running answer. `message` is replaced, never mutated. */
export interface LiveAnswer {
  message: Message;
  readonly abort: AbortController;
  ended: Promise<void>;
  /** The answer was checked against the spending limits before it was stored. */
  readonly isAdmitted?: boolean;
  /** Earlier messages of the same turn. Stopping one of them stops this answer. */
  readonly earlier?: readonly string[];
  /** The account that pays, and the client of its gateway, which has the cost. */
  payer?: { readonly source: string; readonly client: Pick<GatewayClient, 'requestRecord'> };
  /** The last chunk had the cost and its lines, so the gateway needn't be asked for the request's record. */
  isCostKnown?: boolean;
  /** The request was sent, so it may cost something. */
  sent?: boolean;
}

/** Keeps the running answers. `changed` is called with their number. */
export function openLiveAnswers(changed: (answers: number) => void = () => {}) {
  const answers = new Map<string, LiveAnswer>();
  changed(0);
  /** Conversations in which a message is being stored or answered. */
  const busy = new Map<string, { readonly together: string | null; answers: number }>();

  const getAnswers = (conversationId: string) =>
    [...answers.values()].filter((answer) => answer.message.conversationId === conversationId);

  return {
    /**
     * Reserves a conversation for one answer. Returns a function that releases it. Answers of one comparison share the
     * reservation, which ends with the last of them.
     */
    reserve(conversationId: string, together: string | null = null): () => void {
      const taken = busy.get(conversationId);
      if (taken && (together === null || taken.together !== together)) {
        throw refusal('answer_in_progress', 'chatBusy');
      }
      const reservation = taken ?? { together, answers: 0 };
      busy.set(conversationId, reservation);
      reservation.answers++;
      return () => {
        reservation.answers--;
        if (reservation.answers === 0) busy.delete(conversationId);
      };
    },
    add(answer: LiveAnswer): void {
      answers.set(answer.message.id, answer);
      changed(answers.size);
    },
    remove(id: string): void {
      if (answers.delete(id)) changed(answers.size);
    },
    find: (id: string) => answers.get(id) ?? [...answers.values()].find((answer) => answer.earlier?.includes(id)),
    all: () => [...answers.values()],
    isLive: (conversationId: string) => getAnswers(conversationId).length > 0,
    /** Whether a tool call waits for the user’s decision. */
    isWaiting: (conversationId: string) =>
      getAnswers(conversationId).some(({ message }) => message.toolCalls.some(({ run }) => run?.state === 'waiting')),
    ofConversation: (conversationId: string): Message[] => getAnswers(conversationId).map(({ message }) => message),
    /** Stops those of the answers that are running, and waits until their ends are stored. */
    async stopThese(ids: readonly string[]): Promise<void> {
      const running = ids.map((id) => answers.get(id)).filter((answer) => answer !== undefined);
      await Promise.all(running.map(stopAnswer));
    },
    /** Returns the current version of a message if it is being written. Returns any other message unchanged. */
    current: (message: Message): Message => {
      const live = answers.get(message.id)?.message;
      return live ? { ...live, sibling: message.sibling } : message;
    },
    async stopAll(conversationId: string): Promise<void> {
      await Promise.all(getAnswers(conversationId).map(stopAnswer));
    },
  };
}

export type LiveAnswers = ReturnType<typeof openLiveAnswers>;

/** Stops an answer and waits until its end is stored. */
export async function stopAnswer(answer: LiveAnswer): Promise<void> {
  answer.abort.abort(refusal('cancelled', 'stopped'));
  await answer.ended;
}

export async function stopAnswers(answers: Iterable<LiveAnswer>): Promise<void> {
  await Promise.all([...answers].map(stopAnswer));
}

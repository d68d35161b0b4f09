import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { refusal } from '#shared/language/refusals.ts';

/** An answer that is being written now. `message` is replaced, never changed. */
export interface LiveAnswer {
  message: Message;
  readonly abort: AbortController;
  ended: Promise<void>;
  /** The rounds before it in the same turn: who stops one of them means this one. */
  readonly earlier?: readonly string[];
  /** Who is asked what it cost. */
  client?: Pick<GatewayClient, 'requestRecord'>;
  /** The request is on its way: from here on it may cost something. */
  sent?: boolean;
}

/** The answers being written. */
export function openLiveAnswers() {
  const answers = new Map<string, LiveAnswer>();
  /** Conversations in which a message is being stored or answered. */
  const busy = new Map<string, { readonly together: string | null; answers: number }>();

  const of = (conversationId: string) =>
    [...answers.values()].filter((answer) => answer.message.conversationId === conversationId);

  return {
    /**
     * Takes a conversation for one answer; gives back what frees it. Answers of one comparison share it, and it is free
     * when the last of them has ended.
     */
    reserve(conversationId: string, together: string | null = null): () => void {
      const taken = busy.get(conversationId);
      if (taken && (together === null || taken.together !== together)) {
        throw refusal('answer_in_progress', 'chatBusy');
      }
      const place = taken ?? { together, answers: 0 };
      busy.set(conversationId, place);
      place.answers++;
      return () => {
        place.answers--;
        if (place.answers === 0) busy.delete(conversationId);
      };
    },
    add(answer: LiveAnswer): void {
      answers.set(answer.message.id, answer);
    },
    remove(id: string): void {
      answers.delete(id);
    },
    find: (id: string) => answers.get(id) ?? [...answers.values()].find((answer) => answer.earlier?.includes(id)),
    all: () => [...answers.values()],
    isLive: (conversationId: string) => of(conversationId).length > 0,
    /** A tool waits for the user's decision. */
    isWaiting: (conversationId: string) =>
      of(conversationId).some(({ message }) => message.toolCalls.some(({ run }) => run?.state === 'waiting')),
    ofConversation: (conversationId: string): Message[] => of(conversationId).map(({ message }) => message),
    /** Stops those of these that are being written, and waits until their end is stored. */
    async stopThese(ids: readonly string[]): Promise<void> {
      const running = ids.map((id) => answers.get(id)).filter((answer) => answer !== undefined);
      await Promise.all(running.map(stopAnswer));
    },
    /** The message as it is now, where it is being written. */
    current: (message: Message): Message => {
      const live = answers.get(message.id)?.message;
      return live ? { ...live, sibling: message.sibling } : message;
    },
    async stopAll(conversationId: string): Promise<void> {
      await Promise.all(of(conversationId).map(stopAnswer));
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

import type { ChatEvent } from '#shared/contract/chat.ts';
import type { Message } from '#shared/contract/conversations.ts';
import { AppError } from '#shared/errors.ts';
import { frameMs, pause } from '../pace.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';

/** An answer that is being written now. `message` is replaced, never changed. */
export interface LiveAnswer {
  message: Message;
  readonly abort: AbortController;
  ended: Promise<void>;
  /** The rounds before it in the same turn: who stops one of them means this one. */
  readonly earlier?: readonly string[];
  /** The request is on its way: from here on it may cost something. */
  sent?: boolean;
}

/** The answers being written, and who watches them. */
export function openLiveAnswers() {
  const answers = new Map<string, LiveAnswer>();
  const watchers = new Map<string, Set<Mailbox>>();
  /** Conversations in which a message is being stored or answered. */
  const busy = new Map<string, { readonly together: string | null; answers: number }>();

  const of = (conversationId: string) =>
    [...answers.values()].filter((answer) => answer.message.conversationId === conversationId);
  const snapshot = (conversationId: string): ChatEvent => ({
    type: 'snapshot',
    answers: of(conversationId).map((answer) => answer.message),
  });

  return {
    /**
     * Takes a conversation for one answer; gives back what frees it. Answers of one comparison share it, and it is free
     * when the last of them has ended.
     */
    reserve(conversationId: string, together: string | null = null): () => void {
      const taken = busy.get(conversationId);
      if (taken && (together === null || taken.together !== together)) {
        throw new AppError('answer_in_progress', 'This chat is still being answered. Stop the answer, or wait for it.');
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
    runningIds: (conversationId: string): string[] => of(conversationId).map(({ message }) => message.id),
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
    publish(conversationId: string, event: ChatEvent): void {
      for (const mailbox of watchers.get(conversationId) ?? []) mailbox.post(event);
    },
    /** A snapshot, then what happens: at most one batch a frame, and one buffer for a reader that does not read. */
    async *watch(conversationId: string, signal: AbortSignal | undefined): AsyncGenerator<ChatEvent, void> {
      const mailbox = openMailbox();
      const room = watchers.get(conversationId) ?? new Set();
      watchers.set(conversationId, room.add(mailbox));
      try {
        yield snapshot(conversationId);
        while (await mailbox.ready(signal)) {
          const { events, overflow } = mailbox.take();
          if (overflow) yield snapshot(conversationId);
          yield* events;
          await pause(frameMs, signal);
        }
      } finally {
        room.delete(mailbox);
        if (room.size === 0) watchers.delete(conversationId);
      }
    },
  };
}

export type LiveAnswers = ReturnType<typeof openLiveAnswers>;

/** Stops an answer and waits until its end is stored. */
export async function stopAnswer(answer: LiveAnswer): Promise<void> {
  answer.abort.abort(new AppError('cancelled', 'Stopped.'));
  await answer.ended;
}

export async function stopAnswers(answers: Iterable<LiveAnswer>): Promise<void> {
  await Promise.all([...answers].map(stopAnswer));
}

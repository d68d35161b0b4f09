import type { Message } from '#shared/contract/conversations.ts';
import { AppError } from '#shared/errors.ts';
import type { NewAnswer } from '../conversations/message-store.ts';
import type { LiveAnswer } from './live-answers.ts';
import { type RoundsDeps, runRounds } from './rounds.ts';

export interface StarterDeps extends RoundsDeps {
  /** Told when an answer is over and its conversation free. */
  readonly answerEnded: (answer: Message) => Promise<void>;
}

export interface Started {
  readonly conversationId: string;
  readonly userMessageId: string;
  readonly answerId: string;
}

/** Stores what was asked, then lets the answer begin: in this order, and one answer to a conversation at a time. */
export function answerStarter(deps: StarterDeps) {
  const { messages, live, changes } = deps;
  let stopped = false;

  /** Stores by `store` and starts to answer, unless the conversation is being answered already. */
  async function begin(conversationId: string, answer: NewAnswer, store: () => Promise<void>): Promise<Started> {
    if (stopped) throw new AppError('shutting_down', 'Portico is closing.');
    const free = live.reserve(conversationId);
    try {
      await store();
      return await start(answer.id, free);
    } catch (error) {
      free();
      throw error;
    }
  }

  async function start(answerId: string, free: () => void): Promise<Started> {
    const message = await messages.find(answerId);
    const question = message?.parentId ? await messages.find(message.parentId) : null;
    if (!message || !question)
      throw new AppError('not_found', 'The chat was removed while the message was being sent.');
    const answer: LiveAnswer = { message, abort: new AbortController(), ended: Promise.resolve() };
    live.add(answer);
    live.publish(message.conversationId, { type: 'message-added', message: question });
    live.publish(message.conversationId, { type: 'message-added', message });
    const turn = runRounds(deps, answer);
    answer.ended = turn.then(() => free(), free);
    void answer.ended.then(deps.lookUpOpenCosts);
    void answer.ended.then(async () => deps.answerEnded((await turn).message));
    changes.emit('conversations', 'messages');
    return { conversationId: message.conversationId, userMessageId: question.id, answerId };
  }

  return {
    begin,
    stopStarting(): void {
      stopped = true;
    },
  };
}

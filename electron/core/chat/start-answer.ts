import type { Message } from '#shared/contract/chat/conversations.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { NewAnswer } from '../conversations/message-store.ts';
import type { HistoryEntry } from '../request/history.ts';
import type { LiveAnswer } from '../runtime/streams/live-answers.ts';
import { type RoundsDeps, runRounds } from './rounds.ts';

export interface StarterDeps extends RoundsDeps {
  /** Called when an answer has ended and its conversation is free. */
  readonly answerEnded: (answer: Message) => Promise<void>;
}

type Branch = readonly HistoryEntry[];
type Store = () => Promise<void>;

export interface Started {
  readonly conversationId: string;
  readonly userMessageId: string;
  readonly answerId: string;
}

/** Stores a question, then starts its answer; one answer per conversation at a time. */
export function answerStarter(deps: StarterDeps) {
  const { messages, live, readers, changes } = deps;
  let stopped = false;

  /**
   * Stores by `store` and starts to answer `branch`, as it was admitted. Throws while the conversation is being
   * answered.
   */
  async function begin(conversationId: string, answer: NewAnswer, branch: Branch, store: Store): Promise<Started> {
    const [started] = await beginTogether(conversationId, answer.comparison?.id ?? null, [{ answer, branch }], store);
    return started;
  }

  /** The same for the answers of a comparison: all are stored, then each starts. */
  async function beginTogether(
    conversationId: string,
    together: string | null,
    answers: readonly { readonly answer: NewAnswer; readonly branch: Branch }[],
    store: Store,
  ): Promise<[Started, ...Started[]]> {
    if (stopped) throw refusal('shutting_down', 'closing');
    // Only the first reservation can be refused, and then none is held.
    const reservations = answers.map(({ answer, branch }) => ({
      id: answer.id,
      branch,
      free: live.reserve(conversationId, together),
    }));
    try {
      await store();
      const started: Started[] = [];
      for (const { id, branch, free } of [...reservations]) {
        started.push(await start(id, branch, free));
        reservations.shift();
      }
      return started as [Started, ...Started[]];
    } catch (error) {
      for (const { free } of reservations) free();
      throw error;
    }
  }

  async function start(answerId: string, branch: Branch, free: () => void): Promise<Started> {
    const [question, message] = await messages.withParent(answerId);
    if (!message || !question) throw refusal('not_found', 'chatRemoved');
    const answer: LiveAnswer = { message, abort: new AbortController(), ended: Promise.resolve() };
    live.add(answer);
    readers.publish(message.conversationId, { type: 'message-added', message: question });
    readers.publish(message.conversationId, { type: 'message-added', message });
    readers.publish(message.conversationId, { type: 'conversation-changed' });
    const turn = runRounds(deps, answer, isBranchTo(branch, question) ? branch : null);
    answer.ended = turn.then(() => free(), free);
    void answer.ended.then(deps.lookUpOpenCosts);
    void answer.ended.then(async () => deps.answerEnded((await turn).message));
    changes.emit('conversations');
    return { conversationId: message.conversationId, userMessageId: question.id, answerId };
  }

  return {
    begin,
    beginTogether,
    stopStarting(): void {
      stopped = true;
    },
  };
}

/**
 * Whether the branch as it was read is the stored question’s: meanwhile an answer may have ended or another branch been
 * shown.
 */
const isBranchTo = (branch: Branch, question: Message): boolean =>
  branch.at(-1)?.id === question.id &&
  (branch.at(-2)?.id ?? null) === question.parentId &&
  branch.every(({ status }) => status !== 'streaming');

import type { Attachment } from '#shared/contract/common/attachments.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { ComparisonStore } from '../conversations/comparison-store.ts';
import type { NewAnswer } from '../conversations/message-store.ts';
import type { Changes } from '../streams/change-topics.ts';
import type { ChatDeps } from './chat-feature.ts';
import type { answerStarter } from './start-answer.ts';
import { titleOf } from './title.ts';

export interface CompareDeps extends ChatDeps {
  readonly comparisons: ComparisonStore;
  readonly changes: Changes;
  /** Sends queued messages after a column was chosen. */
  readonly resumeQueue: (conversationId: string) => Promise<void>;
}

interface Compare {
  readonly messageId: string;
  readonly conversationId?: string | null | undefined;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly models: readonly string[];
  readonly overCaps: boolean;
  /** A new conversation is not kept. */
  readonly temporary?: boolean;
}

interface StartedTogether {
  readonly conversationId: string;
  readonly userMessageId: string;
  readonly answerIds: string[];
}

type Starter = Pick<ReturnType<typeof answerStarter>, 'beginTogether'>;

/** One question to several models. Each answer is a request of its own: a failed one does not affect the others. */
export function compareFeature(deps: CompareDeps, newAnswer: (model: string) => NewAnswer, starter: Starter) {
  const { comparisons, messages, conversations, live, readers, newId, now, changes } = deps;
  const beginning = new Map<string, Promise<StartedTogether>>();

  async function beginOnce(input: Compare): Promise<StartedTogether> {
    const { messageId, text, models, overCaps, temporary = false } = input;
    const known = await earlier(messageId);
    if (known) return known;
    refuseUnusable(deps, models);
    if (input.conversationId && live.isLive(input.conversationId)) throw busy();
    const answers = models.map(newAnswer) as [NewAnswer, ...NewAnswer[]];
    const attachments = await deps.attachments.verify(input.attachments);
    const question = { id: messageId, text, attachments };
    const conversationId = input.conversationId ?? newId();
    const leaf = input.conversationId ? await leafOf(input.conversationId) : null;
    const branch = [
      ...(await messages.branch(conversationId, leaf)),
      { ...question, role: 'user', status: 'done' } as const,
    ];
    const requests = await Promise.all(
      answers.map(async (answer) => ({
        answerId: answer.id,
        name: answer.modelName ?? answer.model,
        request: await deps.build(
          { conversationId: input.conversationId ?? null, branch, model: answer.model, purpose: 'compare' },
          deps.placeholder,
        ),
      })),
    );
    await deps.admission.admitTogether({ conversationId, overCaps, answers: requests });
    for (const { id } of answers) deps.admission.remember(id);
    const comparison = newId();
    const title = input.conversationId ? null : titleOf(question, await deps.language());
    const started = await starter.beginTogether(conversationId, comparison, answers, branch, async () => {
      const parentId = input.conversationId ? await leafOf(conversationId) : null;
      await comparisons.ask({ conversationId, title, temporary, parentId, question, comparison, answers, now: now() });
      if (title !== null) await deps.options.adopt(conversationId);
    });
    return { conversationId, userMessageId: messageId, answerIds: started.map(({ answerId }) => answerId) };
  }

  /** The end of the branch, where a question may be added; not while it is answered or no column is chosen. */
  async function leafOf(conversationId: string): Promise<string | null> {
    const row = await conversations.find(conversationId);
    if (!row) throw refusal('not_found', 'conversationGone');
    await mayGoOn(conversationId);
    return row.active_leaf;
  }

  /** Throws `comparison_open` while the branch ends in a comparison without a chosen column. */
  async function mayGoOn(conversationId: string): Promise<void> {
    if (await comparisons.undecided(conversationId)) throw refusal('comparison_open', 'chooseAnswerFirst');
  }

  async function earlier(messageId: string): Promise<StartedTogether | null> {
    const message = await messages.find(messageId);
    if (!message) return null;
    const answerIds = await comparisons.answersBelow(messageId);
    if (answerIds.length === 0) throw refusal('invalid_input', 'idTaken');
    return { conversationId: message.conversationId, userMessageId: messageId, answerIds };
  }

  return {
    mayGoOn,

    begin(input: Compare): Promise<StartedTogether> {
      const running = beginning.get(input.messageId);
      if (running !== undefined) return running;
      const started = beginOnce(input).finally(() => beginning.delete(input.messageId));
      beginning.set(input.messageId, started);
      return started;
    },

    async choose({ messageId }: { messageId: string }): Promise<void> {
      if (live.find(messageId)) {
        throw refusal('answer_in_progress', 'answerBusy');
      }
      const { conversationId, questionId } = await comparisons.choose(messageId);
      readers.publish(conversationId, { type: 'branch-changed', messageId: questionId });
      readers.publish(conversationId, { type: 'conversation-changed' });
      changes.emit('messages', 'conversations');
      await deps.resumeQueue(conversationId);
    },

    async open({ messageId }: { messageId: string }): Promise<void> {
      const { conversationId, questionId } = await comparisons.open(messageId);
      readers.publish(conversationId, { type: 'branch-changed', messageId: questionId });
      changes.emit('messages');
    },

    /** Comparisons that are being stored; closing waits for them. */
    beginning: (): Promise<unknown>[] => [...beginning.values()],
  };
}

const busy = () => refusal('answer_in_progress', 'chatBusy');

/** Refuses a missing, unusable or duplicate model before anything is stored, instead of in a failed column. */
function refuseUnusable({ modelFacts }: Pick<ChatDeps, 'modelFacts'>, models: readonly string[]): void {
  const known = models.map((model) => ({ model, facts: modelFacts(model) }));
  // The catalogue is not loaded: the gateway decides.
  if (known.every(({ facts }) => !facts)) return;
  const seen = new Set<string>();
  for (const { model, facts } of known) {
    if (!facts) {
      throw refusal('model_not_found', 'modelGone', { model });
    }
    const { id, status, unavailable_reason } = facts.record;
    if (status !== 'available' && status !== 'degraded') {
      throw refusal('model_not_found', 'modelUnable', { name: facts.name, status, said: unavailable_reason });
    }
    if (seen.has(id)) throw refusal('invalid_input', 'modelTwice', { name: facts.name });
    seen.add(id);
  }
}

import type { Attachment } from '#shared/contract/attachments.ts';
import { AppError } from '#shared/errors.ts';
import type { Changes } from '../changes.ts';
import type { ComparisonStore } from '../conversations/comparison-store.ts';
import type { NewAnswer } from '../conversations/message-store.ts';
import type { ChatDeps } from './chat.ts';
import type { answerStarter } from './start-answer.ts';
import { titleFrom } from './title.ts';

export interface CompareDeps extends ChatDeps {
  readonly comparisons: ComparisonStore;
  readonly changes: Changes;
  /** Lets what waits behind a comparison go out. */
  readonly resumeQueue: (conversationId: string) => Promise<void>;
}

interface Compare {
  readonly messageId: string;
  readonly conversationId?: string | null | undefined;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly models: readonly string[];
  readonly overCaps: boolean;
}

interface StartedTogether {
  readonly conversationId: string;
  readonly userMessageId: string;
  readonly answerIds: string[];
}

type Starter = Pick<ReturnType<typeof answerStarter>, 'beginTogether'>;

/** One question to several models at once. Each answer is a request of its own: one that fails leaves the others alone. */
export function compareFeature(deps: CompareDeps, newAnswer: (model: string) => NewAnswer, starter: Starter) {
  const { comparisons, messages, conversations, live, newId, now, changes } = deps;
  const beginning = new Map<string, Promise<StartedTogether>>();

  async function beginOnce(input: Compare): Promise<StartedTogether> {
    const { messageId, text, models, overCaps } = input;
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
          deps.standIn,
        ),
      })),
    );
    await deps.admission.admitTogether({ conversationId, overCaps, answers: requests });
    for (const { id } of answers) deps.admission.remember(id);
    const comparison = newId();
    const title = input.conversationId ? null : titleFrom(text.trim() === '' ? (attachments[0]?.name ?? text) : text);
    const started = await starter.beginTogether(conversationId, comparison, answers, async () => {
      const parentId = input.conversationId ? await leafOf(conversationId) : null;
      await comparisons.ask({ conversationId, title, parentId, question, comparison, answers, now: now() });
      if (title !== null) await deps.options.adopt(conversationId);
    });
    return { conversationId, userMessageId: messageId, answerIds: started.map(({ answerId }) => answerId) };
  }

  /** The end of the branch, where a question may go; not while it is answered, nor while no column is chosen. */
  async function leafOf(conversationId: string): Promise<string | null> {
    const row = await conversations.find(conversationId);
    if (!row) throw new AppError('not_found', 'This conversation is not here any more.');
    await mayGoOn(conversationId);
    return row.active_leaf;
  }

  /** Throws `comparison_open` where the branch ends in a comparison: which of its answers comes next is not chosen. */
  async function mayGoOn(conversationId: string): Promise<void> {
    if (await comparisons.undecided(conversationId))
      throw new AppError(
        'comparison_open',
        'Choose the answer to go on with first: the next message belongs below one.',
      );
  }

  async function earlier(messageId: string): Promise<StartedTogether | null> {
    const message = await messages.find(messageId);
    if (!message) return null;
    const answerIds = await comparisons.answersBelow(messageId);
    if (answerIds.length === 0) throw new AppError('invalid_input', 'messageId: this id belongs to another message.');
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
        throw new AppError('answer_in_progress', 'This answer is still being written. Stop it, or wait for it.');
      }
      const conversationId = await comparisons.choose(messageId);
      changes.emit('messages', 'conversations');
      await deps.resumeQueue(conversationId);
    },

    async open({ messageId }: { messageId: string }): Promise<void> {
      await comparisons.open(messageId);
      changes.emit('messages');
    },

    /** What is being stored now, for who closes. */
    beginning: (): Promise<unknown>[] => [...beginning.values()],
  };
}

const busy = () =>
  new AppError('answer_in_progress', 'This chat is still being answered. Stop the answer, or wait for it.');

/** A model that is gone, cannot answer or is there twice is said before anything is stored, not in a failed column. */
function refuseUnusable({ modelFacts }: Pick<ChatDeps, 'modelFacts'>, models: readonly string[]): void {
  const known = models.map((model) => ({ model, facts: modelFacts(model) }));
  // Nothing is known of any: the catalogue was not read yet, and the gateway knows it better.
  if (known.every(({ facts }) => !facts)) return;
  const seen = new Set<string>();
  for (const { model, facts } of known) {
    if (!facts) {
      throw new AppError(
        'model_not_found',
        `${model} is not in the catalogue any more. Take another one in its place.`,
      );
    }
    const { id, status, unavailable_reason } = facts.record;
    if (status !== 'available' && status !== 'degraded') {
      throw new AppError('model_not_found', `${facts.name} cannot answer now: ${unavailable_reason ?? status}.`);
    }
    if (seen.has(id)) throw new AppError('invalid_input', `models: ${facts.name} is picked twice.`);
    seen.add(id);
  }
}

import type { Message } from '#shared/contract/chat/conversations.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { ComparisonStore } from '../conversations/comparison-store.ts';
import type { NewAnswer, NewQuestion } from '../conversations/message-store.ts';
import type { HistoryEntry } from '../request/history.ts';
import { getQuestion } from '../request/history.ts';
import type { ChatDeps } from './chat-feature.ts';
import type { answerStarter } from './rounds.ts';
import { getTitle } from './title.ts';

export interface CompareDeps extends ChatDeps {
  readonly comparisons: ComparisonStore;
  /** Sends queued messages once a column is chosen. */
  readonly resumeQueue: (conversationId: string) => Promise<void>;
}

interface Compare {
  readonly messageId: string;
  readonly conversationId?: string | null | undefined;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /**
   * The models of a new comparison. Without it, the question goes to each column of the comparison at the end of the
   * branch.
   */
  readonly models?: readonly string[] | undefined;
  readonly overCaps: boolean;
  /** A new conversation is temporary: it's deleted when it is left. */
  readonly temporary?: boolean;
  /** The folder of a new conversation. */
  readonly folderId?: string | null | undefined;
  readonly newChat?: string | null | undefined;
}

interface StartedTogether {
  readonly conversationId: string;
  readonly userMessageId: string;
  readonly answerIds: string[];
}

/** An answer of a comparison, and the branch above its question. */
interface Column {
  readonly answer: NewAnswer;
  readonly parentId: string | null;
  readonly branch: readonly Message[];
}

interface AskedColumn extends Omit<Column, 'branch'> {
  readonly question: NewQuestion;
  readonly branch: readonly HistoryEntry[];
}

type Starter = Pick<ReturnType<typeof answerStarter>, 'beginTogether'>;

/** Asks several models the same question. Each answer is its own request, so a failed one doesn't affect the others. */
export function compareFeature(deps: CompareDeps, newAnswer: (model: string) => NewAnswer, starter: Starter) {
  const { comparisons, messages, conversations, live, readers, newId, now, changes } = deps;
  const beginning = new Map<string, Promise<StartedTogether>>();

  async function beginOnce(input: Compare): Promise<StartedTogether> {
    const { messageId, text, overCaps } = input;
    const known = await findEarlierResult(messageId);
    if (known) return known;
    if (input.conversationId && live.isLive(input.conversationId)) throw busy();
    const conversationId = input.conversationId ?? newId();
    const columns = input.models ? await newColumns(input, input.models) : await goingOn(conversationId);
    refuseUnusable(
      deps,
      columns.map(({ answer }) => answer.model),
    );
    const attachments = await deps.attachments.verify(input.attachments);
    // For a further question, the first column has the message itself and the other columns have copies, each with its
    // own id.
    const asked = columns.map((column, index): AskedColumn => {
      const question = { id: index === 0 || input.models ? messageId : newId(), text, attachments };
      return {
        ...column,
        question,
        branch: [...column.branch, { ...question, role: 'user', status: 'done' } as const],
      };
    });
    const requests = await Promise.all(
      asked.map(async ({ answer, branch }) => ({
        answerId: answer.id,
        name: answer.modelName ?? answer.model,
        request: await deps.build(
          {
            conversationId: input.conversationId ?? null,
            newId: conversationId,
            folderId: input.folderId,
            newChat: input.newChat,
            branch,
            model: answer.model,
            purpose: 'compare',
          },
          deps.placeholder,
        ),
      })),
    );
    await deps.admission.admitTogether({ conversationId, overCaps, answers: requests });
    const admitted = asked.map(({ answer, branch }, index) => ({
      answer,
      branch,
      request: requests[index]?.request ?? null,
    }));
    const comparison = newId();
    const store = input.models
      ? () => begun(input, conversationId, comparison, asked)
      : () => goneOn(conversationId, comparison, asked);
    const started = await starter.beginTogether(conversationId, comparison, admitted, store);
    return { conversationId, userMessageId: messageId, answerIds: started.map(({ answerId }) => answerId) };
  }

  async function newColumns({ conversationId }: Compare, models: readonly string[]): Promise<Column[]> {
    const parentId = conversationId ? await getEnd(conversationId) : null;
    const branch = conversationId ? await messages.branch(conversationId, parentId) : [];
    return models.map((model) => ({ answer: newAnswer(model), parentId, branch }));
  }

  /** Returns a new answer for each column at the end of the branch, below the answer that the column shows. */
  async function goingOn(conversationId: string): Promise<Column[]> {
    const columns = await columnsAt(conversationId);
    return Promise.all(
      columns.map(async ({ model, leafId }) => ({
        answer: newAnswer(model),
        parentId: leafId,
        branch: await messages.branch(conversationId, leafId),
      })),
    );
  }

  /**
   * Returns the columns of the comparison at the end of the branch, from the left. Empty if the branch doesn't end in
   * one.
   */
  async function columnsAt(conversationId: string): Promise<{ model: string; leafId: string }[]> {
    const leaf = await getLeaf(conversationId);
    const last = leaf !== null && (await comparisons.undecided(conversationId)) ? await messages.find(leaf) : null;
    if (!last?.comparison) return [];
    const columns = await messages.columns(conversationId, last.comparison.id);
    return columns.map((parts) => ({ model: parts[0].model ?? 'router', leafId: (parts.at(-1) ?? parts[0]).id }));
  }

  async function begun(
    input: Compare,
    conversationId: string,
    comparison: string,
    asked: readonly AskedColumn[],
  ): Promise<void> {
    const answers = asked.map(({ answer }) => answer);
    const [first] = asked;
    if (!first) return;
    const title = input.conversationId ? null : getTitle(first.question, await deps.language());
    const parentId = input.conversationId ? await getEnd(conversationId) : null;
    const { temporary = false, folderId = null } = input;
    const stored = { conversationId, title, temporary, folderId, parentId, question: first.question };
    await comparisons.ask({ ...stored, comparison, answers, now: now() });
    if (title !== null) await deps.options.adopt(conversationId, input.newChat ?? 'new');
  }

  async function goneOn(conversationId: string, comparison: string, asked: readonly AskedColumn[]): Promise<void> {
    const columns = asked.flatMap(({ parentId, ...column }) => (parentId === null ? [] : { parentId, ...column }));
    const before = await messages.find(columns[0]?.parentId ?? '');
    if (!before || !(await comparisons.undecided(conversationId))) throw refusal('invalid_input', 'noAnswersBeside');
    const { id } = await getQuestion(messages, before);
    await comparisons.goOn({ conversationId, comparison, columns, now: now() });
    // Readers may still have the answer that a retry replaced, so they reload the branch.
    readers.publish(conversationId, { type: 'branch-changed', messageId: id });
  }

  async function getLeaf(conversationId: string): Promise<string | null> {
    const row = await conversations.find(conversationId);
    if (!row) throw refusal('not_found', 'conversationGone');
    return row.active_leaf;
  }

  /** Returns the end of the branch, where a question may be added. Throws while no column of a comparison is chosen. */
  async function getEnd(conversationId: string): Promise<string | null> {
    const leaf = await getLeaf(conversationId);
    await mayGoOn(conversationId);
    return leaf;
  }

  /** Throws `comparison_open` while the branch ends in a comparison without a chosen column. */
  async function mayGoOn(conversationId: string): Promise<void> {
    if (await comparisons.undecided(conversationId)) throw refusal('comparison_open', 'chooseAnswerFirst');
  }

  async function findEarlierResult(messageId: string): Promise<StartedTogether | null> {
    const message = await messages.find(messageId);
    if (!message) return null;
    const answerIds = await comparisons.answersBelow(messageId);
    if (answerIds.length === 0) throw refusal('invalid_input', 'idTaken');
    return { conversationId: message.conversationId, userMessageId: messageId, answerIds };
  }

  return {
    mayGoOn,
    columnsAt,

    begin(input: Compare): Promise<StartedTogether> {
      const running = beginning.get(input.messageId);
      if (running !== undefined) return running;
      const started = beginOnce(input).finally(() => beginning.delete(input.messageId));
      beginning.set(input.messageId, started);
      return started;
    },

    /**
     * Closes the comparison above an edited question: the edit of a question to all columns goes only to the first one.
     */
    async goOnBelow(conversationId: string, answerId: string): Promise<void> {
      const questionId = await comparisons.goOnBelow(answerId);
      if (questionId !== null) readers.publish(conversationId, { type: 'branch-changed', messageId: questionId });
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

    /** Returns the comparisons that are being stored. Closing the core waits for them. */
    beginning: (): Promise<unknown>[] => [...beginning.values()],
  };
}

const busy = () => refusal('answer_in_progress', 'chatBusy');

/**
 * Refuses a missing, unusable or duplicate model before anything is stored. Otherwise the user would get a failed
 * column.
 */
function refuseUnusable({ modelFacts }: Pick<ChatDeps, 'modelFacts'>, models: readonly string[]): void {
  const known = models.map((model) => ({ model, facts: modelFacts(model) }));
  // The catalogue isn't loaded yet, so the gateway decides.
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

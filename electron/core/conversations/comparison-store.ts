import type { Kysely, Selectable } from 'kysely';
import { refusal } from '#shared/language/refusals.ts';
import type { Db, Tables } from '../storage/database/db.ts';
import { showThrough } from './branch-store.ts';
import { addAnswer, addConversation, addQuestion, mustBeThere } from './conversation-store.ts';
import type { NewAnswer, NewQuestion } from './message-store.ts';

interface Asked {
  readonly conversationId: string;
  /** The title of a new conversation, or null for an existing one. */
  readonly title: string | null;
  readonly temporary: boolean;
  readonly folderId: string | null;
  readonly parentId: string | null;
  readonly question: NewQuestion;
  readonly comparison: string;
  readonly answers: readonly NewAnswer[];
  readonly now: number;
}

/** A further question to all columns of a comparison. */
interface GoneOn {
  readonly conversationId: string;
  readonly comparison: string;
  readonly columns: readonly GoneOnColumn[];
  readonly now: number;
}

interface GoneOnColumn {
  /** The last part of the column's answer, which the further question goes below. */
  readonly parentId: string;
  readonly question: NewQuestion;
  readonly answer: NewAnswer;
}

/** Stores which answers belong to a comparison, and whether they are shown side by side. Each change is one commit. */
export function comparisonStore(db: Db) {
  const inOne = <T>(work: (tx: Kysely<Tables>) => Promise<T>) => db.transaction().execute(work);
  return {
    /**
     * Stores a question with a column for each model. The first column stands for the comparison in the branch until
     * one is chosen.
     */
    ask: ({ conversationId: id, title, temporary, folderId, parentId, question, comparison, answers, now }: Asked) =>
      db.transaction().execute(async (tx) => {
        const [first] = answers;
        if (!first) return;
        const { model } = first;
        if (title !== null) {
          await addConversation(tx, { id, title, model, temporary, folderId }, now);
        } else if (parentId !== null) await mustBeThere(tx, parentId);
        await addQuestion(tx, id, parentId, question, now);
        await tx.updateTable('messages').set({ comparing: comparison }).where('id', '=', question.id).execute();
        for (const [column, answer] of answers.entries())
          await addAnswer(tx, id, question.id, { ...answer, comparison: { id: comparison, column }, aside: true }, now);
        await tx.updateTable('conversations').set({ model, updated_at: now }).where('id', '=', id).execute();
        await showThrough(tx, id, first.id);
      }),

    /**
     * Stores a further question to all columns. The answer of each column gets its own copy of the question below it,
     * so each branch is exactly what its model is asked. The first column stands for them in the branch.
     */
    goOn: ({ conversationId: id, comparison, columns, now }: GoneOn) =>
      db.transaction().execute(async (tx) => {
        for (const [column, { parentId, question, answer }] of columns.entries()) {
          await mustBeThere(tx, parentId);
          await addQuestion(tx, id, parentId, question, now);
          await tx.updateTable('messages').set({ comparing: comparison }).where('id', '=', question.id).execute();
          const beside = { ...answer, comparison: { id: comparison, column }, aside: true };
          await addAnswer(tx, id, question.id, beside, now);
        }
        await tx.updateTable('conversations').set({ updated_at: now }).where('id', '=', id).execute();
        if (columns[0]) await showThrough(tx, id, columns[0].answer.id);
      }),

    /** Chooses a column as the answer, also in the comparisons above it. The other columns become siblings. */
    choose: (messageId: string) =>
      inOne(async (tx) => {
        const row = await present(tx, messageId);
        const questionId = (await closeAbove(tx, messageId)) ?? messageId;
        await tx
          .updateTable('conversations')
          .set(row.model === null ? { active_leaf: messageId } : { active_leaf: messageId, model: row.model })
          .where('id', '=', row.conversation_id)
          .execute();
        await showThrough(tx, row.conversation_id, messageId);
        return { conversationId: row.conversation_id, questionId };
      }),

    /**
     * Makes one answer of a comparison the chosen one, because a question continues below it. The other answers are no
     * longer shown.
     */
    goOnBelow: (answerId: string) => inOne((tx) => closeAbove(tx, answerId)),

    /** Shows all columns again, also those of the comparisons above. */
    open: (messageId: string) =>
      inOne(async (tx) => {
        const { conversation_id } = await present(tx, messageId);
        return { conversationId: conversation_id, questionId: await openAbove(tx, messageId) };
      }),

    /** Returns the answers of the comparison below a question, without their continuations. */
    async answersBelow(questionId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('messages as q')
        .innerJoin('messages as a', 'a.comparison', 'q.comparing')
        .select('a.id')
        .where('q.id', '=', questionId)
        .whereRef('a.conversation_id', '=', 'q.conversation_id')
        .where('a.continues', '=', 0)
        .orderBy('a.seq')
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Whether the branch ends in a comparison without a chosen column. */
    async undecided(conversationId: string): Promise<boolean> {
      const columns = await db
        .selectFrom('conversations as c')
        .innerJoin('messages as leaf', 'leaf.id', 'c.active_leaf')
        .innerJoin('messages as q', 'q.comparing', 'leaf.comparison')
        .innerJoin('messages as a', 'a.comparison', 'q.comparing')
        .select('a.comparison_column')
        .distinct()
        .where('c.id', '=', conversationId)
        .whereRef('q.conversation_id', '=', 'c.id')
        .whereRef('a.conversation_id', '=', 'c.id')
        .where('a.deletion', 'is', null)
        .execute();
      return columns.length > 1;
    },
  };
}

export type ComparisonStore = ReturnType<typeof comparisonStore>;

async function present(tx: Kysely<Tables>, id: string) {
  const row = await tx
    .selectFrom('messages')
    .select(['conversation_id', 'parent_id', 'comparison', 'model'])
    .where('id', '=', id)
    .where('deletion', 'is', null)
    .executeTakeFirst();
  if (!row?.comparison) throw refusal('not_found', 'comparisonGone');
  return row;
}

type QuestionRow = Pick<Selectable<Tables['messages']>, 'id' | 'seq' | 'parent_id' | 'comparing' | 'conversation_id'>;

/**
 * Returns the question of an answer. The parent of a continuation is the part before it, and the parent of the first
 * part is the question.
 */
async function getQuestion(tx: Kysely<Tables>, id: string | null, before: number): Promise<QuestionRow> {
  const row = await tx
    .selectFrom('messages')
    .select(['id', 'seq', 'role', 'parent_id', 'comparing', 'conversation_id'])
    .where('id', '=', id ?? '')
    .where('seq', '<', before)
    // An answer always has its question, because the two are removed together.
    .executeTakeFirstOrThrow();
  return row.role === 'assistant' ? getQuestion(tx, row.parent_id, row.seq ?? 0) : row;
}

/**
 * Shows only this answer of its comparison from now on, and only its column of the comparisons above. Returns the first
 * question of them, or null if the answer is in no comparison.
 */
async function closeAbove(tx: Kysely<Tables>, answerId: string): Promise<string | null> {
  let first: string | null = null;
  let before = Infinity;
  for (let id: string | null = answerId; id !== null; ) {
    const answer: PartRow | undefined = await getPart(tx, id, before);
    if (!answer?.comparison) break;
    const question: QuestionRow = await getQuestion(tx, answer.parent_id, answer.seq ?? 0);
    if (first !== null && question.comparing !== answer.comparison) break;
    first = question.id;
    await tx
      .updateTable('messages')
      .set({ comparing: null })
      .where('conversation_id', '=', question.conversation_id)
      .where('comparing', '=', answer.comparison)
      .execute();
    id = question.parent_id;
    before = question.seq ?? 0;
  }
  return first;
}

/**
 * Shows all columns of a comparison again, and those of the comparisons above. A further question has a copy for each
 * column.
 */
async function openAbove(tx: Kysely<Tables>, answerId: string, before = Infinity): Promise<string> {
  const answer = await getPart(tx, answerId, before);
  const { id, seq, parent_id, conversation_id } = await getQuestion(tx, answer?.parent_id ?? null, answer?.seq ?? 0);
  const copies = await tx
    .selectFrom('messages')
    .select('parent_id as id')
    .distinct()
    .where('conversation_id', '=', conversation_id)
    .where('comparison', '=', answer?.comparison ?? '')
    .where('continues', '=', 0)
    .where('deletion', 'is', null)
    .execute();
  const ids = copies.flatMap((copy) => copy.id ?? []);
  await tx
    .updateTable('messages')
    .set({ comparing: answer?.comparison ?? null })
    .where('id', 'in', ids)
    .execute();
  return copies.length > 1 && parent_id !== null ? openAbove(tx, parent_id, seq ?? 0) : id;
}

type PartRow = Pick<Selectable<Tables['messages']>, 'seq' | 'comparison' | 'parent_id'>;

const getPart = (tx: Kysely<Tables>, id: string, before: number): Promise<PartRow | undefined> =>
  tx
    .selectFrom('messages')
    .select(['seq', 'comparison', 'parent_id'])
    .where('id', '=', id)
    .where('seq', '<', before)
    .executeTakeFirst();
